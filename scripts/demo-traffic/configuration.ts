import type { Batch } from './batch';
import type { Ledger } from './ledger';
import { key, type World } from './world';

const HOUR = 3600;

/** Flags in the several styles the application accepts; one is not a boolean, one looks like a secret. */
const flagsOf = (ledger: Ledger): Record<string, string> => ({
  FEATURE_REGISTRATION: 'true',
  FEATURE_COMMENTS: '1',
  FEATURE_DARK_THEME: 'on',
  FEATURE_SEARCH_V2: 'YES',
  FEATURE_NEW_EDITOR: 'false',
  FEATURE_CHAT: '0',
  FEATURE_DONATIONS: 'off',
  FEATURE_BETA_FEED: 'no',
  FEATURE_AUDIO: 'True',
  FEATURE_REACTIONS: 'Off',
  FEATURE_DRAFTS: 'Yes',
  FEATURE_AUTOSAVE: 'tRUE',
  FEATURE_OAUTH_TELEGRAM: 'enabled',
  FEATURE_TOPIC_COLORS: '',
  FEATURE_ROLLOUT: '25%',
  FEATURE_STORE_TOKEN: ledger.secret(40, 'sk_live_'),
});

export const FLAGS = ['FEATURE_REGISTRATION', 'FEATURE_COMMENTS', 'FEATURE_SEARCH_V2', 'FEATURE_NEW_EDITOR'];

const urlWithPassword = (ledger: Ledger, scheme: string, user: string, host: string): string =>
  ledger.keep(`${scheme}://${user}:${ledger.secret(24)}@${host}`);

const variablesOf = (ledger: Ledger): Record<string, string> => ({
  DB_URL: urlWithPassword(ledger, 'postgresql', 'discours', 'db.internal:5432/discours'),
  POSTGRES_USER: 'discours',
  POSTGRES_PASSWORD: ledger.secret(28),
  POSTGRES_DB: 'discours',
  JWT_SECRET: ledger.secret(64),
  OAUTH_GOOGLE_CLIENT_ID: '381099772-discours.apps.example.com',
  OAUTH_GOOGLE_CLIENT_SECRET: ledger.secret(35, 'GOCSPX-'),
  OAUTH_GITHUB_CLIENT_ID: 'Iv1.8a61f9b3a7aba766',
  OAUTH_GITHUB_CLIENT_SECRET: ledger.secret(40),
  REDIS_URL: urlWithPassword(ledger, 'redis', 'app', 'redis.internal:6379/0'),
  REDIS_HOST: 'redis.internal',
  REDIS_PORT: '6379',
  SEARCH_API_KEY: ledger.secret(32),
  SENTRY_DSN: urlWithPassword(ledger, 'https', 'public', 'errors.example.org/42'),
  SMTP_HOST: 'smtp.example.org',
  SMTP_USER: 'noreply@example.org',
  SMTP_PASSWORD: ledger.secret(20),
  CORS_ORIGINS: 'https://discours.example.org,https://new.discours.example.org',
  ALLOWED_HOSTS: 'discours.example.org,api.discours.example.org',
  LOG_LEVEL: 'info',
  DEBUG: 'false',
});

/** Secrets with innocent names, and leftovers: each must be displayed correctly. */
const oddOnesOf = (world: World, ledger: Ledger): [name: string, value: string | Buffer][] => [
  ['PAYMENT_GATEWAY', ledger.secret(32, 'sk_live_')],
  ['MAIL_SIGNING', `-----BEGIN PRIVATE KEY-----\n${ledger.secret(64)}\n-----END PRIVATE KEY-----\n`],
  ['EDITOR_SESSION', ledger.jwt('1', 'editor', world.now(), world.now() + 86_400)],
  ['ROBOTS_TXT', 'User-agent: *\nDisallow: /drafts\n'],
  ['SMTP_PORT', 'smtp'],
  // «Дискурс» in Windows-1251.
  ['SITE_TITLE', Buffer.from('c4e8f1eaf3f0f1', 'hex')],
  ['FOOTER_HTML', '<footer>'.padEnd(2_000_000, '.')],
  ['log_format', 'json'],
  ['smtp_from', 'noreply@example.org'],
  ['A=B', 'who set this?'],
  ['<img src=x onerror=alert(1)>', '"><script>alert(1)</script>'],
  ['__proto__', '{"polluted":true}'],
  ['ADMIN\u202eLIAM', 'admin@example.org'],
];

/**
 * Variables of all eight categories, all persistent except one; two documented ones are missing (ELASTICSEARCH_URL,
 * GOOGLE_ANALYTICS_ID), and one is a hash.
 */
export const seedConfiguration = (world: World, batch: Batch): void => {
  const variables = { ...variablesOf(world.ledger), ...flagsOf(world.ledger) };
  for (const [name, value] of [...Object.entries(variables), ...oddOnesOf(world, world.ledger)]) {
    batch.add('SET', [key('discours.env-vars', { name }), value]);
  }
  batch.add('SET', [key('discours.env-vars', { name: 'MAINTENANCE_NOTE' }), 'Back at noon', 'EX', 6 * HOUR]);
  batch.add('SET', [Buffer.from('env_vars:'), 'written without a name']);
  batch.add('HSET', [key('discours.env-vars', { name: 'OAUTH_PROVIDERS' }), 'google', '1', 'vk', '0']);
};

/** The application reads its flags continuously. */
export const readFlag = (world: World, batch: Batch): void =>
  batch.add('GET', [key('discours.env-vars', { name: world.random.pick(FLAGS) })]);

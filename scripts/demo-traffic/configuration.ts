import type { Batch } from './batch';
import type { Ledger } from './ledger';
import { key, type World } from './world';

/** Flags in the several styles the application accepts; one that is no boolean, one that looks secret. */
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
  FEATURE_OAUTH_TELEGRAM: 'enabled',
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
  ELASTICSEARCH_URL: 'http://search.internal:9200',
  GOOGLE_ANALYTICS_ID: 'G-4F9K2M7Q1X',
  SENTRY_DSN: urlWithPassword(ledger, 'https', 'public', 'errors.example.org/42'),
  SMTP_HOST: 'smtp.example.org',
  SMTP_USER: 'noreply@example.org',
  SMTP_PASSWORD: ledger.secret(20),
  CORS_ORIGINS: 'https://discours.example.org,https://new.discours.example.org',
  ALLOWED_HOSTS: 'discours.example.org,api.discours.example.org',
  LOG_LEVEL: 'info',
  DEBUG: 'false',
});

/** Variables of all eight categories (000, 2), persistent as they should be. */
export const seedConfiguration = (world: World, batch: Batch): void => {
  const variables = { ...variablesOf(world.ledger), ...flagsOf(world.ledger) };
  for (const [name, value] of Object.entries(variables)) {
    batch.add('SET', [key('discours.env-vars', { name }), value]);
  }
};

/** The application asks for its flags all the time. */
export const readFlag = (world: World, batch: Batch): void =>
  batch.add('GET', [key('discours.env-vars', { name: world.random.pick(FLAGS) })]);

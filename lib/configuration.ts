import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { APP_IDS } from './apps';
import * as connections from './configuration-connections';
import { withSecretFiles } from './configuration-files';
import { HEADER_VARIABLES, headerOf, missingForHeader } from './configuration-header';
import { missingForOidc, OIDC_VARIABLES, oidcOf } from './configuration-oidc';
import { storeSentinelsOf } from './configuration-store';
import { tlsIn } from './configuration-tls';
import { TRACES_VARIABLES, tracesOf } from './configuration-traces';
import { redisUrl } from './configuration-url';
import type { ConfigurationProblem } from './configuration-values';
import * as values from './configuration-values';
import { USER_ROLES } from './permissions';

export type { AppId } from './apps';
export type {
  ConnectionConfig,
  Environment,
  HawkSettings,
  SentinelConfig,
} from './configuration-connections';
export type { HeaderSettings } from './configuration-header';
export { discoveryUrl, isProviderAddress, type OidcSettings } from './configuration-oidc';
export type { ConfigurationProblem } from './configuration-values';

const { check, expecting, integer, orNull, text } = values;

/** All problems of the configuration in one error, without secrets. */
export class ConfigurationError extends Error {
  constructor(readonly problems: ConfigurationProblem[]) {
    const lines = problems.map(
      ({ variable, found, expected }) => `  ${variable}: found ${found}, expected ${expected}`,
    );
    super(`The configuration is invalid:\n${lines.join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

type Source = Record<string, string | undefined>;

const KEY = /^[A-Za-z0-9+/_-]{43}=?$/;
const secretKey = expecting(
  '32 bytes in base64 (`openssl rand -base64 32` makes one)',
  z
    .string()
    .trim()
    .regex(KEY)
    .transform((base64) => Buffer.from(base64, 'base64')),
  { secret: true },
);

const isWebUrl = (value: string): boolean => {
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
};
const webUrl = expecting('the http:// or https:// address people open', z.string().refine(isWebUrl));

/** Its path may be a secret, so plain http is accepted only for this machine. */
const webhook = expecting(
  'an https:// address without a user name or password, or an http:// one of this machine',
  z
    .string()
    .refine((value) => isWebUrl(value) && (/^https:/i.test(value) || values.isLoopback(new URL(value)))),
  { secret: true },
);

const isSmtpUrl = (value: string): boolean => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return false;
  if (!values.decodes(url.username) || !values.decodes(url.password)) return false;
  return /^\/?$/.test(url.pathname) && !url.search && !url.hash;
};
const smtpUrl = expecting(
  'smtp:// or smtps:// with a host, and user:password@ if it needs them (a % in them as %25)',
  z.string().trim().refine(isSmtpUrl),
  { secret: true },
);

/** '' or '/x', without a trailing slash. */
const basePath = text(
  '/ or a path such as /keyward',
  /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*\/?$/,
).transform((path) => path.replace(/\/$/, ''));

const email = expecting(
  'an e-mail address',
  z
    .string()
    .trim()
    .regex(/^[^\s@]+@[^\s@]+$/),
);
/** `break-glass`: only KEYWARD_ADMIN_EMAIL may sign in with a password. */
const localAccounts = expecting('all or break-glass', z.enum(['all', 'break-glass']));

/** Roles whose local accounts need a second factor. */
const secondFactorRoles = expecting(
  `all, or roles: ${USER_ROLES.join(', ')}`,
  z
    .string()
    .transform((text) =>
      text.trim() === 'all' ? [...USER_ROLES] : text.split(',').map((role) => role.trim()),
    )
    .pipe(z.array(z.enum(USER_ROLES)).min(1)),
);

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * The variables by their fixed names; .env.example lists them for people and scripts. Relative paths start from `cwd`.
 */
const variablesIn = (cwd: string) =>
  z.object({
    // Connections, the files of TLS and the store's Sentinels are parsed separately.
    REDIS_URL: z.string().optional(),
    REDIS_PASSWORD: z.string().optional(),
    REDIS_TLS_CA: z.string().optional(),
    REDIS_TLS_CERT: z.string().optional(),
    REDIS_TLS_KEY: z.string().optional(),
    REDIS_TLS_SERVERNAME: z.string().optional(),
    KEYWARD_CONFIG: z.string().optional(),
    KEYWARD_ENVIRONMENT: connections.environment.default('development'),
    KEYWARD_APPS: connections.apps.default([...APP_IDS]),
    KEYWARD_READ_ONLY: values.boolean.default(false),
    KEYWARD_STORE_URL: orNull(redisUrl),
    KEYWARD_STORE_TLS_CA: z.string().optional(),
    KEYWARD_STORE_TLS_CERT: z.string().optional(),
    KEYWARD_STORE_TLS_KEY: z.string().optional(),
    KEYWARD_STORE_TLS_SERVERNAME: z.string().optional(),
    KEYWARD_STORE_SENTINEL_NODES: z.string().optional(),
    KEYWARD_STORE_SENTINEL_USERNAME: z.string().optional(),
    KEYWARD_STORE_SENTINEL_PASSWORD: z.string().optional(),
    KEYWARD_STORE_SENTINEL_TLS_CA: z.string().optional(),
    KEYWARD_STORE_SENTINEL_TLS_CERT: z.string().optional(),
    KEYWARD_STORE_SENTINEL_TLS_KEY: z.string().optional(),
    KEYWARD_STORE_SENTINEL_TLS_SERVERNAME: z.string().optional(),
    KEYWARD_STORE_SENTINEL_NAT_MAP: z.string().optional(),
    KEYWARD_SECRET_KEY: orNull(secretKey),
    NEXTAUTH_SECRET: orNull(z.string()),
    NEXTAUTH_URL: orNull(webUrl),
    KEYWARD_ADMIN_EMAIL: orNull(email),
    KEYWARD_ADMIN_PASSWORD: orNull(expecting('8 characters or more', z.string().min(8), { secret: true })),
    KEYWARD_API_TOKEN: orNull(
      text('32 characters or more, no spaces', /^[\x21-\x7e]{32,}$/, { secret: true }),
    ),
    KEYWARD_OIDC_ISSUER: orNull(OIDC_VARIABLES.KEYWARD_OIDC_ISSUER),
    KEYWARD_OIDC_CLIENT_ID: orNull(OIDC_VARIABLES.KEYWARD_OIDC_CLIENT_ID),
    KEYWARD_OIDC_CLIENT_SECRET: orNull(OIDC_VARIABLES.KEYWARD_OIDC_CLIENT_SECRET),
    KEYWARD_OIDC_NAME: orNull(OIDC_VARIABLES.KEYWARD_OIDC_NAME),
    KEYWARD_OIDC_SCOPE: orNull(OIDC_VARIABLES.KEYWARD_OIDC_SCOPE),
    KEYWARD_OIDC_ROLE_CLAIM: orNull(OIDC_VARIABLES.KEYWARD_OIDC_ROLE_CLAIM),
    KEYWARD_OIDC_ROLES: orNull(OIDC_VARIABLES.KEYWARD_OIDC_ROLES),
    KEYWARD_OIDC_DEFAULT_ROLE: orNull(OIDC_VARIABLES.KEYWARD_OIDC_DEFAULT_ROLE),
    KEYWARD_HEADER_USER: orNull(HEADER_VARIABLES.KEYWARD_HEADER_USER),
    KEYWARD_HEADER_GROUPS: orNull(HEADER_VARIABLES.KEYWARD_HEADER_GROUPS),
    KEYWARD_HEADER_ROLES: orNull(HEADER_VARIABLES.KEYWARD_HEADER_ROLES),
    KEYWARD_HEADER_DEFAULT_ROLE: orNull(HEADER_VARIABLES.KEYWARD_HEADER_DEFAULT_ROLE),
    KEYWARD_HEADER_SIGN_OUT_URL: orNull(HEADER_VARIABLES.KEYWARD_HEADER_SIGN_OUT_URL),
    KEYWARD_LOCAL_ACCOUNTS: localAccounts.default('all'),
    KEYWARD_SECOND_FACTOR_ROLES: secondFactorRoles.default([]),
    KEYWARD_BASE_PATH: basePath.default(''),
    KEYWARD_TRUSTED_PROXIES: values.networks.default([]),
    KEYWARD_UNDO_MAX_KEYS: integer(0, 10_000_000).default(200_000),
    KEYWARD_UNDO_MAX_BYTES: values.bytes.default(256 * 2 ** 20),
    KEYWARD_UNDO_HOURS: values.number(0, 8760).default(24),
    KEYWARD_AUDIT_DAYS: integer(1, 36_500).default(365),
    KEYWARD_AUDIT_WEBHOOK: orNull(webhook),
    KEYWARD_BACKUP_DIR: z
      .string()
      .default('.keyward/backups')
      .transform((dir) => (dir === 'none' ? null : resolve(cwd, dir))),
    KEYWARD_DRAIN_SECONDS: integer(0, 3600).default(0),
    KEYWARD_LOG_FORMAT: expecting('text or json', z.enum(['text', 'json'])).default('text'),
    KEYWARD_LOG_REQUESTS: values.boolean.default(false),
    ...TRACES_VARIABLES,
    KEYWARD_SMTP_URL: orNull(smtpUrl),
    KEYWARD_SMTP_FROM: orNull(email),
    KEYWARD_ALERT_ALLOWED_NETWORKS: values.networks.default([]),
    // A container sets HOSTNAME to its own name, so only an address is used.
    HOSTNAME: z
      .string()
      .refine((name) => isIP(name) !== 0)
      .catch('127.0.0.1'),
    PORT: integer(1, 65_535, 'a port').default(3000),
    HAWK_LIMITS_DIR: orNull(
      expecting(
        'a folder that exists',
        z
          .string()
          .transform((dir) => resolve(cwd, dir))
          .refine(isFolder),
      ),
    ),
    HAWK_MONGODB_URI: orNull(
      text('mongodb:// or mongodb+srv:// with a host', /^mongodb(\+srv)?:\/\/[^/?]+/, { secret: true }),
    ),
  });

/** The keys of a file's `hawk` section, by the error collector's own variables. */
const HAWK_VARIABLES: Record<string, string> = {
  disabledProjectsSet: 'REDIS_DISABLED_PROJECT_SET',
  blacklistSet: 'REDIS_BLACKLIST_IP_SET',
  allIpsMap: 'REDIS_ALL_IPS_MAP',
  currentPeriodMap: 'REDIS_CURRENT_PERIOD_MAP',
  threshold: 'BLACKLIST_THRESHOLD',
  blacklistPeriod: 'BLACKLIST_UPDATE_PERIOD',
  blockedPeriod: 'BLOCKED_PROJECTS_UPDATE_PERIOD',
  eventsLimit: 'HAWK_EVENTS_LIMIT',
  eventsPeriod: 'HAWK_EVENTS_PERIOD',
};

/** Every variable of the configuration, by name. */
export const VARIABLES = [...Object.keys(variablesIn('.').shape), ...Object.values(HAWK_VARIABLES)];

/** Problems of variables that require or exclude another one. */
const missingIn = (source: Source): ConfigurationProblem[] => {
  const missing = (variable: string, expected: string) => ({ variable, found: 'nothing', expected });
  const { REDIS_URL, KEYWARD_CONFIG, KEYWARD_ADMIN_EMAIL, KEYWARD_ADMIN_PASSWORD } = source;
  const { KEYWARD_SMTP_URL, KEYWARD_SMTP_FROM } = source;
  const problems: ConfigurationProblem[] = [];
  if (!REDIS_URL && !KEYWARD_CONFIG)
    problems.push(
      missing('REDIS_URL', 'the address of a Redis, or KEYWARD_CONFIG naming a file of connections'),
    );
  if (connections.tlsOf(source, 'KEYWARD_STORE') && !source.KEYWARD_STORE_URL?.startsWith('rediss:'))
    problems.push({
      ...missing('KEYWARD_STORE_URL', 'rediss:// beside KEYWARD_STORE_TLS_*'),
      found: 'no TLS',
    });
  if (KEYWARD_SMTP_URL && !KEYWARD_SMTP_FROM)
    problems.push(missing('KEYWARD_SMTP_FROM', 'the sender of mail beside KEYWARD_SMTP_URL'));
  problems.push(...missingForOidc(source));
  problems.push(...missingForHeader(source));
  const isDelegated = source.KEYWARD_OIDC_ISSUER || source.KEYWARD_HEADER_USER;
  if (source.KEYWARD_LOCAL_ACCOUNTS === 'break-glass' && !isDelegated)
    problems.push(
      missing(
        'KEYWARD_OIDC_ISSUER',
        'a provider, or KEYWARD_HEADER_USER, beside KEYWARD_LOCAL_ACCOUNTS=break-glass',
      ),
    );
  if (source.KEYWARD_LOCAL_ACCOUNTS === 'break-glass' && !KEYWARD_ADMIN_EMAIL)
    problems.push(missing('KEYWARD_ADMIN_EMAIL', 'the account that may still sign in with a password'));
  if (KEYWARD_ADMIN_EMAIL && !KEYWARD_ADMIN_PASSWORD)
    problems.push(missing('KEYWARD_ADMIN_PASSWORD', 'one beside KEYWARD_ADMIN_EMAIL'));
  if (KEYWARD_ADMIN_PASSWORD && !KEYWARD_ADMIN_EMAIL)
    problems.push(missing('KEYWARD_ADMIN_EMAIL', 'one beside KEYWARD_ADMIN_PASSWORD'));
  return problems;
};

const connectionsOf = (source: Source, cwd: string, defaults: connections.ConnectionDefaults) => {
  if (source.KEYWARD_CONFIG)
    return connections.connectionsFromFile(resolve(cwd, source.KEYWARD_CONFIG), defaults);
  if (!source.REDIS_URL) return { problems: [] };
  return connections.connectionFromUrl(source, cwd, defaults);
};

/**
 * Reads and validates the configuration. Relative paths start from `cwd`. Throws `ConfigurationError` naming every
 * problem.
 */
export const readEnv = (environment: Source = process.env, cwd: string = process.cwd()) => {
  const { source, problems: fileProblems } = withSecretFiles(environment, cwd);
  const given = check(variablesIn(cwd), source, ([name]) => String(name));
  const named = Object.entries(HAWK_VARIABLES).filter(([, variable]) => source[variable]);
  const collector = Object.fromEntries(named.map(([key, variable]) => [key, source[variable]]));
  const hawk = check(connections.hawk, collector, ([key]) => HAWK_VARIABLES[String(key)]!);
  const storeTls = check(
    tlsIn(cwd),
    connections.tlsOf(source, 'KEYWARD_STORE'),
    ([file = 'cert']) => `KEYWARD_STORE_TLS_${String(file).toUpperCase()}`,
  );
  const storeSentinel = storeSentinelsOf(source, cwd);
  const read = connectionsOf(source, cwd, {
    environment: given.data?.KEYWARD_ENVIRONMENT ?? 'development',
    apps: given.data?.KEYWARD_APPS ?? [],
    readOnly: given.data?.KEYWARD_READ_ONLY ?? false,
    hawk: hawk.data ? collector : {},
  });
  const problems = [...fileProblems, ...read.problems, ...given.problems, ...hawk.problems];
  problems.push(...storeTls.problems, ...storeSentinel.problems);
  // A secret whose file is wrong is not missing.
  if (fileProblems.length === 0) problems.push(...missingIn(source));
  if (problems.length > 0 || !given.data || !read.data) throw new ConfigurationError(problems);
  const { KEYWARD_ADMIN_EMAIL: email, KEYWARD_ADMIN_PASSWORD: password, ...set } = given.data;
  return {
    connections: read.data,
    storeUrl: set.KEYWARD_STORE_URL,
    storeTls: storeTls.data ?? null,
    storeSentinel: storeSentinel.data ?? null,
    secretKey: set.KEYWARD_SECRET_KEY,
    nextAuthSecret: set.NEXTAUTH_SECRET,
    nextAuthUrl: set.NEXTAUTH_URL,
    admin: email && password ? { email, password } : null,
    oidc: oidcOf(set),
    header: headerOf(set),
    localAccounts: set.KEYWARD_LOCAL_ACCOUNTS,
    secondFactorRoles: set.KEYWARD_SECOND_FACTOR_ROLES,
    apiToken: set.KEYWARD_API_TOKEN,
    basePath: set.KEYWARD_BASE_PATH,
    trustedProxies: set.KEYWARD_TRUSTED_PROXIES,
    undo: {
      maxKeys: set.KEYWARD_UNDO_MAX_KEYS,
      maxBytes: set.KEYWARD_UNDO_MAX_BYTES,
      hours: set.KEYWARD_UNDO_HOURS,
    },
    auditDays: set.KEYWARD_AUDIT_DAYS,
    auditWebhook: set.KEYWARD_AUDIT_WEBHOOK,
    backupDir: set.KEYWARD_BACKUP_DIR,
    drainSeconds: set.KEYWARD_DRAIN_SECONDS,
    log: { format: set.KEYWARD_LOG_FORMAT, requests: set.KEYWARD_LOG_REQUESTS },
    traces: tracesOf(source),
    mail:
      set.KEYWARD_SMTP_URL && set.KEYWARD_SMTP_FROM
        ? { url: set.KEYWARD_SMTP_URL, from: set.KEYWARD_SMTP_FROM }
        : null,
    alertNetworks: set.KEYWARD_ALERT_ALLOWED_NETWORKS,
    hostname: set.HOSTNAME,
    port: set.PORT,
    limitsDir: set.HAWK_LIMITS_DIR,
    mongoUri: set.HAWK_MONGODB_URI,
    production: source.NODE_ENV === 'production',
  };
};

/** The complete, validated configuration. */
export type Env = ReturnType<typeof readEnv>;

let cached: Env | null = null;

/** The configuration of this process, read once. Throws `ConfigurationError`. */
export const env = (): Env => {
  cached ??= readEnv();
  return cached;
};

/** Makes the next `env()` read again, for tests that set variables. */
export const forgetEnv = (): void => {
  cached = null;
};

/**
 * next-auth reads its URL from the environment at each request. A configured URL is completed with the base path;
 * without one next-auth is configured to trust the request, whose headers we set ourselves.
 */
export const handOriginToNextAuth = (): void => {
  const { nextAuthUrl, basePath } = env();
  if (nextAuthUrl) process.env.NEXTAUTH_URL = `${new URL(nextAuthUrl).origin}${basePath}/api/auth`;
  else process.env.AUTH_TRUST_HOST = 'true';
};

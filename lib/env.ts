import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { APP_IDS } from './apps';
import type { ConnectionConfig } from './env-connections';
import * as connections from './env-connections';
import * as kinds from './env-values';
import { type ConfigurationProblem, Findings } from './env-values';

export type { ConnectionConfig, Environment, HawkSettings } from './env-connections';
export type { ConfigurationProblem } from './env-values';

/** The whole configuration, checked. Fixed names: design of KEYWARD_*, .env.example lists them. */
export interface Env {
  connections: ConnectionConfig[];
  storeUrl: string | null;
  /** 32 bytes. */
  secretKey: Buffer | null;
  nextAuthSecret: string | null;
  nextAuthUrl: string | null;
  admin: { email: string; password: string } | null;
  apiToken: string | null;
  /** '' or '/x', without a slash at the end. */
  basePath: string;
  /** Addresses and networks. */
  trustedProxies: string[];
  undo: { maxKeys: number; maxBytes: number; hours: number };
  auditDays: number;
  hostname: string;
  port: number;
  limitsDir: string | null;
  mongoUri: string | null;
  production: boolean;
}

/** Everything that is wrong with the configuration, at once, without its secrets. */
export class ConfigurationError extends Error {
  readonly problems: ConfigurationProblem[];

  constructor(problems: ConfigurationProblem[]) {
    const lines = problems.map(
      ({ variable, found, expected }) => `  ${variable}: found ${found}, expected ${expected}`,
    );
    super(`The configuration is not usable:\n${lines.join('\n')}`);
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

type Source = Record<string, string | undefined>;

const MINIMUM_PASSWORD = 8;

const secretKey: kinds.Kind<Buffer> = {
  expected: '32 bytes in base64 (`openssl rand -base64 32` makes one)',
  secret: true,
  parse: (value) => {
    if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]{43}=?$/.test(value.trim())) return undefined;
    const key = Buffer.from(value.trim(), 'base64');
    return key.length === 32 ? key : undefined;
  },
};

const webUrl: kinds.Kind<string> = {
  expected: 'the http:// or https:// address people open',
  parse: (value) => {
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
    return url && /^https?:$/.test(url.protocol) && !url.username && !url.password
      ? (value as string)
      : undefined;
  },
};

const basePath: kinds.Kind<string> = {
  expected: '/ or a path such as /keyward',
  parse: (value) => {
    if (value === '/') return '';
    const path = String(value).replace(/\/$/, '');
    return /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)+$/.test(path) ? path : undefined;
  },
};

const mongoUri = kinds.text('mongodb:// or mongodb+srv:// with a host', /^mongodb(\+srv)?:\/\/[^/?]+/);
const apiToken = kinds.text('32 characters or more, no spaces', /^[\x21-\x7e]{32,}$/, true);
const password = kinds.text(
  `${MINIMUM_PASSWORD} characters or more`,
  new RegExp(`^[^]{${MINIMUM_PASSWORD},}$`),
  true,
);
const email = kinds.text('an e-mail address', /^[^\s@]+@[^\s@]+$/);

const adminOf = (findings: Findings, source: Source): Env['admin'] => {
  const given = { email: source.KEYWARD_ADMIN_EMAIL, password: source.KEYWARD_ADMIN_PASSWORD };
  const admin = {
    email: findings.read('KEYWARD_ADMIN_EMAIL', given.email?.trim(), email, null),
    password: findings.read('KEYWARD_ADMIN_PASSWORD', given.password, password, null),
  };
  if (given.email && !given.password)
    findings.add('KEYWARD_ADMIN_PASSWORD', 'nothing', 'one beside KEYWARD_ADMIN_EMAIL');
  if (given.password && !given.email)
    findings.add('KEYWARD_ADMIN_EMAIL', 'nothing', 'one beside KEYWARD_ADMIN_PASSWORD');
  return admin.email && admin.password ? { email: admin.email, password: admin.password } : null;
};

const connectionsOf = (findings: Findings, source: Source, cwd: string): ConnectionConfig[] => {
  const defaults = {
    environment: findings.read(
      'KEYWARD_ENVIRONMENT',
      source.KEYWARD_ENVIRONMENT,
      connections.environment,
      'development' as const,
    ),
    apps: findings.read('KEYWARD_APPS', source.KEYWARD_APPS, connections.apps, [...APP_IDS]),
    readOnly: findings.read('KEYWARD_READ_ONLY', source.KEYWARD_READ_ONLY, kinds.boolean, false),
    hawk: connections.hawkFromEnvironment(findings, source),
  };
  if (source.KEYWARD_CONFIG) {
    return connections.connectionsFromFile(findings, resolve(cwd, source.KEYWARD_CONFIG), defaults);
  }
  if (!source.REDIS_URL) {
    const expected = 'the address of a Redis, or KEYWARD_CONFIG naming a file of connections';
    findings.add('REDIS_URL', 'nothing', expected);
    return [];
  }
  const url = findings.read('REDIS_URL', source.REDIS_URL, kinds.redisUrl, null);
  return url ? [connections.connectionFromUrl(url, source.REDIS_PASSWORD || null, defaults)] : [];
};

const limitsDirOf = (findings: Findings, source: Source, cwd: string): string | null => {
  if (!source.HAWK_LIMITS_DIR) return null;
  const dir = resolve(cwd, source.HAWK_LIMITS_DIR);
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    findings.add('HAWK_LIMITS_DIR', JSON.stringify(source.HAWK_LIMITS_DIR), 'a folder that exists');
  }
  return dir;
};

/**
 * Reads and checks the configuration. Relative paths start from `cwd`.
 * Throws `ConfigurationError` naming every problem.
 */
export const readEnv = (source: Source = process.env, cwd: string = process.cwd()): Env => {
  const findings = new Findings();
  const read = <T, F>(variable: string, kind: kinds.Kind<T>, fallback: F): T | F =>
    findings.read(variable, source[variable], kind, fallback);
  const env: Env = {
    connections: connectionsOf(findings, source, cwd),
    storeUrl: read('KEYWARD_STORE_URL', kinds.redisUrl, null),
    secretKey: read('KEYWARD_SECRET_KEY', secretKey, null),
    nextAuthSecret: source.NEXTAUTH_SECRET || null,
    nextAuthUrl: read('NEXTAUTH_URL', webUrl, null),
    admin: adminOf(findings, source),
    apiToken: read('KEYWARD_API_TOKEN', apiToken, null),
    basePath: read('KEYWARD_BASE_PATH', basePath, ''),
    trustedProxies: read('KEYWARD_TRUSTED_PROXIES', kinds.networks, []),
    undo: {
      maxKeys: read('KEYWARD_UNDO_MAX_KEYS', kinds.integer(0, 10_000_000), 200_000),
      maxBytes: read('KEYWARD_UNDO_MAX_BYTES', kinds.bytes, 256 * 2 ** 20),
      hours: read('KEYWARD_UNDO_HOURS', kinds.number(0, 8760), 24),
    },
    auditDays: read('KEYWARD_AUDIT_DAYS', kinds.integer(1, 36_500), 365),
    // A container presets HOSTNAME to its own name: only an address is meant for us.
    hostname: source.HOSTNAME && isIP(source.HOSTNAME) ? source.HOSTNAME : '127.0.0.1',
    port: read('PORT', kinds.integer(1, 65_535, 'a port'), 3000),
    limitsDir: limitsDirOf(findings, source, cwd),
    mongoUri: read('HAWK_MONGODB_URI', mongoUri, null),
    production: source.NODE_ENV === 'production',
  };
  if (findings.problems.length > 0) throw new ConfigurationError(findings.problems);
  return env;
};

let cached: Env | null = null;

/** The configuration of this process, read once. Throws `ConfigurationError`. */
export const env = (): Env => {
  cached ??= readEnv();
  return cached;
};

/** The next `env()` reads anew: for tests that set variables. */
export const forgetEnv = (): void => {
  cached = null;
};

/**
 * next-auth reads its address from the environment at each request. A configured one is completed to the path
 * it is served under; without one next-auth is told to believe the request, whose headers we give it.
 */
export const handOriginToNextAuth = (): void => {
  const { nextAuthUrl, basePath } = env();
  if (nextAuthUrl) process.env.NEXTAUTH_URL = `${new URL(nextAuthUrl).origin}${basePath}/api/auth`;
  else process.env.AUTH_TRUST_HOST = 'true';
};

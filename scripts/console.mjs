// Starts the console in production, for `npm start`, the demo and the end-to-end tests.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { bundle, ensureBuilt, STATE } from './build.mjs';
import { eachLine, eachWrite, startChild } from './child.mjs';
import { closeFolder, startStore } from './private-store.mjs';
import { CONFIGURED_FROM, calledAs, IS_PACKAGE, ROOT, SetupError, say, sayWrong } from './setup.mjs';

const READY_TIMEOUT_MS = 60_000;
/** A second more than the console takes at most (lib/wiring.ts). */
const GRACE_MS = 9000;

/** A secret generated once and stored in `folder`, readable by its owner only. */
export const keptSecret = (folder, name, encoding) => {
  const file = join(folder, name);
  try {
    writeFileSync(file, `${randomBytes(32).toString(encoding)}\n`, { mode: 0o600, flag: 'wx' });
    say(`Generated ${name}, stored in ${file}.`);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
};

const urlHost = (hostname) => {
  // A server on all addresses is reachable on loopback.
  if (hostname === '0.0.0.0') return '127.0.0.1';
  if (hostname === '::') return '[::1]';
  return hostname.includes(':') ? `[${hostname}]` : hostname;
};

/** With a base path, next-auth expects the full path in NEXTAUTH_URL. */
const nextAuthUrl = (given, { hostname, port, basePath }) => {
  const url = new URL(given ?? `http://${urlHost(hostname)}:${port}`);
  const path = url.pathname.replace(/\/$/, '');
  if (path === '' || path === basePath) url.pathname = `${basePath}/api/auth`;
  return url.href;
};

const checkPort = ({ hostname, port }) =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', ({ code }) => {
      const why = code === 'EADDRINUSE' ? 'is taken' : `cannot be listened on (${code})`;
      reject(new SetupError(`PORT: ${port} on ${hostname} ${why}; choose another with PORT=…`));
    });
    server.listen(port, hostname, () => server.close(resolve));
  });

/** Reads and validates the configuration and the catalogs it names. Throws a `ConfigurationError`. */
export const readConfiguration = async (environment) => {
  const { url } = await bundle('scripts/configuration.ts');
  return (await import(url)).readConfiguration(environment, CONFIGURED_FROM);
};

/** Throws a `SetupError` with the reason why the console must not run on the configured store. */
export const checkStore = async (given, secrets) => {
  const { url } = await bundle('scripts/check-store.ts');
  const { problemOfStore } = await import(url);
  const made = !given.nextAuthSecret || !given.secretKey;
  const problem = await problemOfStore(given, secrets, made, calledAs('accounts seal'));
  if (problem) throw new SetupError(problem);
};

/** Throws a `SetupError` with the reason why a command must not write to a store. */
export const checkVersion = async (at) => {
  const { url } = await bundle('scripts/check-store.ts');
  const problem = await (await import(url)).problemOfVersion(at);
  if (problem) throw new SetupError(problem);
};

const untilHealthy = async (url, child) => {
  let ended = null;
  child.exited.then((exit) => {
    ended = exit;
  });
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!ended && Date.now() < deadline) {
    const ok = await fetch(url, { signal: AbortSignal.timeout(5000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ok) return;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new SetupError(
    ended
      ? `The console ended while starting (${ended.error?.message ?? ended.signal ?? `exit code ${ended.code}`}).`
      : `The console did not answer at ${url} within ${READY_TIMEOUT_MS / 1000} s.`,
  );
};

/** Next's own banner, which appears before the console is ready. */
const BANNER = /^\s*(▲ Next\.js|- (Local|Network|Environments):|✓ (Ready in|Starting|Running next\.config))/;

/**
 * By default V8 lets the heap grow to several times its live size, and keeps up to three times the semi-space for
 * young objects. Its baseline compiler's code takes 15 MB and saves no time that could be measured here.
 */
const FLAGS = ['--max-old-space-size=400', '--max-semi-space-size=8', '--no-sparkplug'];
/**
 * glibc keeps freed memory in an arena per thread, and raises its threshold for returning memory with the largest block
 * ever freed, unless the threshold is set (to its default here). Together these kept 65 MB.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/** Next would exit on SIGTERM as soon as no request is open, while jobs are being handed over. */
const OWN_SIGNALS = { NEXT_MANUAL_SIG_HANDLE: '1' };

/** Variables with a path, which the console reads from another folder. */
const HAS_PATH =
  /^(KEYWARD_CONFIG|HAWK_LIMITS_DIR|(REDIS|KEYWARD|NEXTAUTH|HAWK|OTEL)_\w+_FILE|(REDIS|KEYWARD)_\w*TLS_(CA|CERT|KEY))$/;

/** Makes the paths in an environment independent of the current folder. */
export const absolutePaths = (environment) => {
  for (const [name, value] of Object.entries(environment))
    if (HAS_PATH.test(name) && value) environment[name] = resolve(CONFIGURED_FROM, value);
};

/** What Node or Next print themselves. */
const sayStderr = (text) => sayWrong(text, /^\(node:\d+\)/.test(text) ? 'warn' : 'error');
/** Where an upgrade backs the store up first: null for no backup, by default beside the secrets in `state`. */
export const backupFolder = ({ backupDir }, state, { KEYWARD_BACKUP_DIR: given } = process.env) =>
  given ? backupDir : join(state, 'backups');

const launch = (configuration, environment, onLine) => {
  const { hostname, port } = configuration;
  // `next start` ignores HOSTNAME and binds every address, so it gets -H; the package's server reads it.
  const next = [join(ROOT, 'node_modules/next/dist/bin/next'), 'start', '-H', hostname, '-p', String(port)];
  const args = [...FLAGS, ...(IS_PACKAGE ? [join(ROOT, 'server.js')] : next)];
  const env = { ...ALLOCATOR, ...environment, ...OWN_SIGNALS };
  const child = startChild(process.execPath, args, {
    cwd: ROOT,
    env,
    graceMs: configuration.drainSeconds * 1000 + GRACE_MS,
  });
  eachLine(child.process.stdout, (line) => BANNER.test(line) || line === '' || onLine(line));
  if (environment.KEYWARD_LOG_FORMAT === 'json') eachWrite(child.process.stderr, sayStderr);
  else eachLine(child.process.stderr, onLine);
  return child;
};

/**
 * Validates the configuration, creates what is missing (secrets, a private store), builds if necessary and starts the
 * console. Resolves once it answers, with `{ url, storeUrl, pid, exited, stop }`; stops everything before it rejects.
 * `state` is the folder for secrets and the private store.
 */
export const startConsole = async ({ environment = process.env, state = STATE, onLine = say } = {}) => {
  for (const folder of new Set([STATE, state])) closeFolder(folder);
  const given = await readConfiguration(environment);
  await checkPort(given);
  const full = {
    ...environment,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    PORT: String(given.port),
  };
  full.NEXTAUTH_SECRET = given.nextAuthSecret ?? keptSecret(state, 'nextauth-secret', 'base64url');
  full.KEYWARD_SECRET_KEY = given.secretKey?.toString('base64') ?? keptSecret(state, 'secret-key', 'base64');
  // Their values are given now, and a secret that is given in both ways is refused.
  for (const name of ['NEXTAUTH_SECRET', 'KEYWARD_SECRET_KEY', 'KEYWARD_STORE_URL'])
    full[`${name}_FILE`] = '';
  absolutePaths(full);
  full.NEXTAUTH_URL = nextAuthUrl(given.nextAuthUrl, given);
  full.HOSTNAME = given.hostname;
  full.KEYWARD_BACKUP_DIR = backupFolder(given, state, environment) ?? 'none';
  // Stored secrets are validated, too, because somebody may have edited them.
  await readConfiguration(full);
  if (given.storeUrl) {
    await checkStore(given, full);
  }
  await ensureBuilt(given.basePath);

  const store = given.storeUrl ? null : await startStore(state);
  full.KEYWARD_STORE_URL = given.storeUrl ?? store.url;
  const child = launch(given, full, onLine);
  const stop = async () => {
    await child.stop();
    await store?.stop();
  };
  const url = `http://${urlHost(given.hostname)}:${given.port}${given.basePath}`;
  try {
    await untilHealthy(`${url}/api/health`, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    storeUrl: full.KEYWARD_STORE_URL,
    pid: child.pid,
    exited: child.exited,
    stop,
    kill: () => child.stop(0),
  };
};

// Finds or installs what a new machine lacks, and reports it. Uses Node's own modules only.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runInto, stopAll } from './child.mjs';
import { findRedis, onPath } from './redis-server.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
/** Whether this is the installed package (scripts/pack.mjs): it brings its build, and installs nothing. */
export const IS_PACKAGE = existsSync(join(ROOT, 'bundles'));
/** The folder of the call: of a script, npm changes to the root. */
export const CALLED_FROM = (!IS_PACKAGE && process.env.INIT_CWD) || process.cwd();
/** Where relative paths of the configuration and `.env` files are. */
export const CONFIGURED_FROM = IS_PACKAGE ? CALLED_FROM : ROOT;

/** How a command is called here, for messages. */
export const calledAs = (command, ...args) => {
  if (IS_PACKAGE) return ['keyward', command, ...args].join(' ');
  const script = command === 'start' ? 'npm start' : `npm run ${command.replace(' ', ':')}`;
  return args.length > 0 ? [script, '--', ...args].join(' ') : script;
};

let isJson = false;

/** A line; what the console itself printed as JSON stays as it is. */
const lineOf = (level, text) => {
  if (!isJson || text.startsWith('{"time":')) return `${text}\n`;
  return `${JSON.stringify({ time: new Date().toISOString(), level, message: text })}\n`;
};

/** Prints a line. */
export const say = (text) => process.stdout.write(lineOf('info', text));

/** Prints what went wrong, to the standard error; as JSON all lines go to the standard output. */
export const sayWrong = (text, level = 'error') =>
  (isJson ? process.stdout : process.stderr).write(lineOf(level, text));

/** From now on lines are JSON, as those of the console with KEYWARD_LOG_FORMAT=json, and so are Node's warnings. */
export const sayAsJson = () => {
  if (isJson) return;
  isJson = true;
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => sayWrong(`${name}: ${message}`, 'warn'));
  process.on('uncaughtException', fail);
};

/** A failure whose message is enough for the user: printed without a stack. */
export class SetupError extends Error {}

/** Wrong arguments: the command exits with 2. */
export class UsageError extends SetupError {}

/** Stops all children, then exits with `error`'s message, or its stack if the message is not meant for users. */
export const fail = async (error) => {
  await stopAll();
  const meant = error instanceof SetupError || error.name === 'ConfigurationError';
  sayWrong(`${isJson ? '' : '\n'}${meant ? error.message : error.stack}`);
  process.exit(error instanceof UsageError ? 2 : 1);
};

/**
 * The arguments of a command, as `parseArgs` gives them. `--help` prints `usage` and exits. Throws `UsageError` for
 * arguments that it does not have.
 */
export const argumentsOf = (usage, options, further = {}) => {
  let given;
  try {
    given = parseArgs({ options: { ...options, help: { type: 'boolean' } }, ...further });
  } catch (error) {
    // The message repeats an address given without its option, so it is masked.
    throw new UsageError(`${error.message.replaceAll(/:\/\/[^\n]*'/gu, "://•••'")}\n\n${usage}`);
  }
  if (!given.values.help) return given;
  say(usage);
  process.exit(0);
};

/** Reads `.env` files into the environment; `hear` gets what is wrong with them. */
export const loadEnvFiles = async (hear = say) => {
  const { default: nextEnv } = await import('@next/env');
  nextEnv.loadEnvConfig(CONFIGURED_FROM, false, { info: () => {}, error: hear });
};

export const checkNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(`Keyward needs Node.js 20.19 or newer; this is ${process.version}.`);
};

/** Runs a command and prints it; its output is shown when it fails. Returns whether it succeeded. */
export const run = async (command, args, options = {}) => {
  say(`  $ ${[command, ...args].join(' ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'keyward-setup-'));
  const file = join(folder, 'output');
  const ok = await runInto(file, command, args, { cwd: ROOT, ...options });
  if (!ok) say(readFileSync(file, 'utf8').trimEnd());
  rmSync(folder, { recursive: true, force: true });
  return ok;
};

const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};

/**
 * Whether node_modules matches package-lock.json (npm records what it installed), with or without what only tests and
 * checks use.
 */
const dependenciesArePresent = (withTests) => {
  const wanted = readJson(join(ROOT, 'package-lock.json'))?.packages;
  const installed = readJson(join(ROOT, 'node_modules/.package-lock.json'))?.packages;
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(
    ([path, { version, dev, optional, peer }]) =>
      path === '' ||
      (dev && !withTests) ||
      installed[path]?.version === version ||
      ((optional || peer) && !installed[path]),
  );
};

/** Installs the dependencies when they are missing or do not match the lock file. */
export const ensureDependencies = async ({ withTests = false } = {}) => {
  if (IS_PACKAGE || dependenciesArePresent(withTests)) return;
  say('Installing the dependencies…');
  // A demo may be running on those that are present: `npm ci` would remove them first.
  const how = withTests && dependenciesArePresent(false) ? ['install', '--no-save'] : ['ci'];
  if (await run('npm', [...how, withTests ? '--include=dev' : '--omit=dev', '--no-audit', '--no-fund']))
    return;
  throw new SetupError('npm could not install the dependencies: see its messages above.');
};

/** The prefix of commands that need root: none as root, `sudo -n` where that works, otherwise null. */
const asRoot = () => {
  if (process.getuid?.() === 0) return [];
  const works = onPath('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0;
  return works ? ['sudo', '-n'] : null;
};

const runAsRoot = (prefix, ...command) => {
  const [first, ...rest] = [...prefix, ...command];
  return run(first, rest, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
};

const apt = { updated: false };
const aptInstall = async (prefix, name) => {
  if (!apt.updated) apt.updated = await runAsRoot(prefix, 'apt-get', 'update', '-qq');
  return runAsRoot(prefix, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', name);
};

const INSTALLERS = {
  'apt-get': aptInstall,
  dnf: (prefix, name) => runAsRoot(prefix, 'dnf', 'install', '-y', name),
  apk: (prefix, name) => runAsRoot(prefix, 'apk', 'add', '--no-cache', name),
  brew: (_prefix, name) => run('brew', ['install', name]),
};

/**
 * Installs the first package of `packages[manager]` that the platform's package manager has, until `find` returns it.
 * Returns the result of `find`, or null.
 */
export const installPackage = async (packages, find) => {
  for (const [manager, install] of Object.entries(INSTALLERS)) {
    if (!onPath(manager) || !packages[manager]) continue;
    const prefix = manager === 'brew' ? [] : asRoot();
    if (!prefix) {
      say(`  ${manager} needs root, and sudo asks for a password.`);
      continue;
    }
    for (const name of packages[manager]) {
      say(`Installing ${name} with ${manager}…`);
      if ((await install(prefix, name)) && find()) return find();
    }
  }
  return null;
};

/** Debian's package starts a server on port 6379: the demo leaves no process behind. */
const stopPackagedService = async () => {
  const prefix = asRoot();
  if (!prefix) return;
  if (existsSync('/run/systemd/system'))
    await runAsRoot(prefix, 'systemctl', 'disable', '--now', 'redis-server');
  else if (existsSync('/etc/init.d/redis-server'))
    await runAsRoot(prefix, '/etc/init.d/redis-server', 'stop');
};

const REDIS_PACKAGES = {
  'apt-get': ['redis-server', 'valkey-server'],
  dnf: ['valkey', 'redis'],
  apk: ['redis', 'valkey'],
  brew: ['redis'],
};

const waysOut = (
  command,
) => `No redis-server or valkey-server was found${IS_PACKAGE ? '' : ', and none could be installed'}. Three alternatives:

  1. Install it (for example: apt-get install redis-server, dnf install valkey, brew install redis),
     then run \`${command}\` again.
  2. Use a Redis you have, with two databases that may be written to:
     REDIS_URL=redis://HOST:6379/0 KEYWARD_STORE_URL=redis://HOST:6379/1 ${command}
  3. Use a container:
     docker run --rm -d -p 127.0.0.1:6379:6379 redis:7
     REDIS_URL=redis://127.0.0.1:6379/0 KEYWARD_STORE_URL=redis://127.0.0.1:6379/1 ${command}`;

/** The path of a Redis server, installed if necessary. Throws `SetupError` with the alternatives. */
export const ensureRedis = async (command) => {
  const present = findRedis();
  if (present) return present;
  if (IS_PACKAGE) throw new SetupError(waysOut(command));
  say('No redis-server or valkey-server on PATH.');
  const installed = await installPackage(REDIS_PACKAGES, findRedis);
  if (!installed) throw new SetupError(waysOut(command));
  if (onPath('apt-get')) await stopPackagedService();
  return installed;
};

/** Every variable of the configuration, from .env.example. */
const configurationVariables = () =>
  [...readFileSync(join(ROOT, '.env.example'), 'utf8').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(
    ([, name]) => name,
  );

/**
 * This process's environment without the console's configuration and the files of its secrets, plus `own`. The
 * variables are empty rather than absent, so that no `.env` file sets them.
 */
export const environmentWith = (own) => ({
  ...process.env,
  ...Object.fromEntries(
    configurationVariables().flatMap((name) => [
      [name, ''],
      [`${name}_FILE`, ''],
    ]),
  ),
  ...own,
});

// `npm start`: the console in production, from the environment (.env.example) and `.env` files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { endOnSignals, isEnding } from './child.mjs';
import {
  argumentsOf,
  calledAs,
  checkNode,
  ensureDependencies,
  fail,
  loadEnvFiles,
  ROOT,
  SetupError,
  say,
  sayAsJson,
} from './setup.mjs';

/** Options for the variables that a first start needs; they win over the environment. */
const OPTIONS = {
  redis: {
    variable: 'REDIS_URL',
    instead: ['REDIS_URL_FILE', 'KEYWARD_CONFIG'],
    what: 'the Redis to show: redis://user:password@host:6379/0',
  },
  config: { variable: 'KEYWARD_CONFIG', what: 'a file of connections instead' },
  store: {
    variable: 'KEYWARD_STORE_URL',
    what: 'the Redis for the console’s own data; otherwise it starts one',
  },
  port: { variable: 'PORT', what: 'where it listens: 3000 unless given' },
};

const USAGE = `${calledAs('start', ...Object.keys(OPTIONS).map((name) => `[--${name} …]`))}

${Object.entries(OPTIONS)
  .map(([name, { variable, what }]) => `--${name.padEnd(7)} ${variable}: ${what}`)
  .join('\n')}

docs/configuration.md has all variables. Other users of this machine can read the arguments of a command: a password is
better in the variable, or in a file that REDIS_URL_FILE names.`;

const readArguments = () => {
  const options = Object.keys(OPTIONS).map((name) => [name, { type: 'string' }]);
  const { values } = argumentsOf(USAGE, Object.fromEntries(options));
  for (const [name, value] of Object.entries(values)) {
    const { variable, instead = [] } = OPTIONS[name];
    process.env[variable] = value;
    for (const other of instead) process.env[other] = '';
  }
};

/** The variable may be in the environment or in an `.env` file. */
const sayAsConfigured = () => {
  if (process.env.KEYWARD_LOG_FORMAT === 'json') sayAsJson();
};

const main = async () => {
  sayAsConfigured();
  endOnSignals({ stopped: 0 });
  checkNode();
  readArguments();
  // Bundled code reads the catalogs of known applications from there.
  process.chdir(ROOT);
  // A container may lack build dependencies on purpose, so they are installed only if Next is missing.
  if (!existsSync(join(ROOT, 'node_modules/next'))) await ensureDependencies();
  await loadEnvFiles();
  sayAsConfigured();
  const { startConsole } = await import('./console.mjs');
  const started = await startConsole().catch((error) => {
    const { REDIS_URL, REDIS_URL_FILE, KEYWARD_CONFIG } = process.env;
    if (!REDIS_URL && !REDIS_URL_FILE && !KEYWARD_CONFIG)
      error.message += `\n\nGive it with \`${calledAs('start', '--redis', 'redis://…')}\`, or try \`${calledAs('demo')}\`.`;
    throw error;
  });
  say(`Ready: Keyward at ${started.url}`);
  const { code, signal } = await started.exited;
  if (!isEnding()) throw new SetupError(`The console exited (${signal ?? `exit code ${code}`}).`);
};

main().catch(fail);

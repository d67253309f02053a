// `npm run catalog -- check FILE… [--url redis://…]` checks catalog files; `-- infer --url redis://…` proposes one.
// Exits with 0, with 1 for problems in files, and with 2 for other failures.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { bundle, STATE } from './build.mjs';
import {
  argumentsOf,
  CALLED_FROM,
  calledAs,
  checkNode,
  loadEnvFiles,
  ROOT,
  SetupError,
  say,
} from './setup.mjs';

const USAGE = `${calledAs('catalog', 'check FILE… [--url redis://…] [--keys 200000] [--apps discours,hawk]')}
${calledAs('catalog', 'infer [--url redis://…] [--keys 200000] [--apps …] [--app NAME] [--out FILE]')}

check   names every problem of the files with line and column; with --url, how many keys they classify
infer   proposes families for keys that no known application has, as a ready file
--url   for infer REDIS_URL unless given; its password may be in REDIS_PASSWORD
--keys  how many keys are looked at
--apps  the known applications that this Redis has, KEYWARD_APPS unless given; none with --apps ''`;

const OPTIONS = {
  url: { type: 'string' },
  keys: { type: 'string', default: '200000' },
  apps: { type: 'string' },
  app: { type: 'string', default: 'app' },
  out: { type: 'string' },
};

const read = () => {
  const { values, positionals } = argumentsOf(USAGE, OPTIONS, { allowPositionals: true });
  const [command, ...files] = positionals;
  return { ...values, command, files };
};

const appsOf = ({ apps }, known) => {
  const names = (apps ?? (process.env.KEYWARD_APPS || known.join())).split(',').map((name) => name.trim());
  const unknown = names.find((name) => name !== '' && !known.includes(name));
  if (unknown !== undefined)
    throw new SetupError(`--apps: found ${JSON.stringify(unknown)}, expected any of ${known}.`);
  return known.filter((name) => names.includes(name));
};

const samplingOf = ({ keys, url }, apps) => {
  const count = /^\d{1,9}$/.test(keys) ? Number(keys) : 0;
  if (count === 0) throw new SetupError('--keys: expected a number of keys.');
  return { url, keys: count, apps };
};

/** Loaded once the arguments are known to be right. Bundled code reads known catalogs and Lua scripts from the root. */
const loadWork = async () => {
  mkdirSync(STATE, { recursive: true, mode: 0o700 });
  process.chdir(ROOT);
  return import((await bundle('scripts/catalog-file.ts')).url);
};

const check = async (options) => {
  if (options.files.some((file) => file.includes('://')))
    throw new SetupError(`check: expected --url before an address.\n\n${USAGE}`);
  if (options.files.length === 0) throw new SetupError(`check: expected a file.\n\n${USAGE}`);
  const paths = options.files.map((file) => resolve(CALLED_FROM, file));
  const { checkFiles, APP_IDS } = await loadWork();
  const apps = appsOf(options, APP_IDS);
  const sampling = options.url ? samplingOf(options, apps) : null;
  const { ok, lines } = await checkFiles(paths, apps, sampling, CALLED_FROM);
  for (const line of lines) say(line);
  return ok ? 0 : 1;
};

const infer = async (options) => {
  const url = options.url || process.env.REDIS_URL;
  if (!url) throw new SetupError(`infer: expected --url or REDIS_URL.\n\n${USAGE}`);
  const out = options.out === undefined ? null : resolve(CALLED_FROM, options.out);
  if (out && existsSync(out)) throw new SetupError(`--out: ${options.out} exists; choose another name.`);
  const { inferFile, APP_IDS } = await loadWork();
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(options.app) || [...APP_IDS, 'console'].includes(options.app))
    throw new SetupError(
      '--app: expected the name of your application in kebab-case, not that of a known one.',
    );
  const { yaml, summary } = await inferFile(
    options.app,
    samplingOf({ ...options, url }, appsOf(options, APP_IDS)),
  );
  if (out && yaml) writeFileSync(out, yaml, { flag: 'wx' });
  else process.stdout.write(yaml);
  process.stderr.write(`${summary}\n`);
  return yaml ? 0 : 1;
};

const main = async () => {
  checkNode();
  const options = read();
  if (!['check', 'infer'].includes(options.command)) throw new SetupError(USAGE);
  await loadEnvFiles((text) => process.stderr.write(`${text}\n`));
  return options.command === 'check' ? check(options) : infer(options);
};

main().then(
  (code) => process.exit(code),
  (error) => {
    // Errors of Redis or of the configuration have messages for users, without secrets.
    const isMeant = error instanceof SetupError || error.name === 'ConfigurationError' || error.code;
    process.stderr.write(`${isMeant ? error.message : error.stack}\n`);
    process.exit(2);
  },
);

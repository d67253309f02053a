// `npm run conventions -- --url redis://…` checks a Redis against the usage conventions, without the console.
// Exits with 0, with 1 for violations at or above --fail-on, and with 2 for other failures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { bundle, STATE } from './build.mjs';
import { argumentsOf, CALLED_FROM, calledAs, checkNode, loadEnvFiles, ROOT, SetupError } from './setup.mjs';

const USAGE = `${calledAs('conventions', '[--url redis://…] [--policy FILE] [--apps discours,hawk]')}
    [--catalog FILE]… [--fail-on error|warning|info|none] [--format text|json|sarif|junit] [--out FILE]

--url      REDIS_URL unless given; its password may be in REDIS_PASSWORD
--policy   the team's policy file; the document as it is unless given
--apps     the known applications that this Redis has, KEYWARD_APPS unless given; none with --apps ''
--catalog  a catalog file of your own application; may be repeated
--fail-on  from which severity violations fail: error unless given
--format   text unless given
--out      where the report is written; the standard output unless given

Exits with 0, with 1 for violations, and with 2 where it could not be checked.`;

const OPTIONS = {
  url: { type: 'string' },
  policy: { type: 'string' },
  apps: { type: 'string' },
  catalog: { type: 'string', multiple: true, default: [] },
  'fail-on': { type: 'string', default: 'error' },
  format: { type: 'string', default: 'text' },
  out: { type: 'string' },
};

const absolute = (file) => resolve(CALLED_FROM, file);

const oneOf = (option, given, known) => {
  if (!known.includes(given))
    throw new SetupError(`--${option}: found ${JSON.stringify(given)}, expected any of ${known.join(', ')}.`);
  return given;
};

const appsOf = ({ apps }, known) => {
  const given = apps ?? (process.env.KEYWARD_APPS || known.join());
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  for (const name of names) oneOf('apps', name, known);
  return known.filter((name) => names.includes(name));
};

const write = (text, out) => {
  if (out === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(absolute(out), text);
  } catch (error) {
    throw new SetupError(`--out: ${out} could not be written (${error.code}).`);
  }
};

const run = async (options, { check, formatted, failuresOf, APP_IDS, FAIL_ON, FORMAT_NAMES }) => {
  const failOn = oneOf('fail-on', options['fail-on'], FAIL_ON);
  const format = oneOf('format', options.format, FORMAT_NAMES);
  const url = options.url || process.env.REDIS_URL;
  if (!url) throw new SetupError(`Expected --url or REDIS_URL.\n\n${USAGE}`);
  const report = await check({
    url,
    policy: options.policy === undefined ? null : absolute(options.policy),
    apps: appsOf(options, APP_IDS),
    catalogs: options.catalog.map(absolute),
    cwd: CALLED_FROM,
  });
  write(formatted(report, format, failOn), options.out);
  return failuresOf(report, failOn).length > 0 ? 1 : 0;
};

const main = async () => {
  checkNode();
  const { values: options } = argumentsOf(USAGE, OPTIONS);
  await loadEnvFiles((text) => process.stderr.write(`${text}\n`));
  // Lua scripts are read relative to the root.
  process.chdir(ROOT);
  mkdirSync(STATE, { recursive: true, mode: 0o700 });
  return run(options, await import((await bundle('scripts/conventions-check.ts')).url));
};

/** A report may be longer than a pipe accepts at once. */
const exit = (code) => process.stdout.write('', () => process.exit(code));

main().then(exit, (error) => {
  // Errors of Redis or of the configuration have messages for users, without secrets.
  const isMeant = error instanceof SetupError || error.name === 'ConfigurationError' || error.code;
  process.stderr.write(`${isMeant ? error.message : error.stack}\n`);
  process.exit(2);
});

// `npm test`: sets everything up, runs every check, and ends with one line that counts them. `npm run test:all` adds the
// second tier: `*.long.test.ts`, `*.long.spec.ts`, tests with the tag `long` and stories with `@long`. `--slowest`
// prints the slowest ten files of each phase.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { endOnSignals, runInto } from './child.mjs';
import {
  checkNode,
  ensureDependencies,
  ensureRedis,
  environmentWith,
  fail,
  ROOT,
  SetupError,
  say,
} from './setup.mjs';

// Set before scripts/build.mjs is loaded: the tests have their own build, so that a demo may run from the same
// checkout.
const DIST_DIR = '.next-test';
process.env.KEYWARD_DIST_DIR = DIST_DIR;

const FOLDER = join(ROOT, '.keyward/test');
const bin = (path) => join(ROOT, 'node_modules', path);
const { values: asked } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    slowest: { type: 'boolean', default: false },
  },
});
/** The projects of vitest.config.mts and playwright.config.ts that run, as arguments. */
const projects = (...names) =>
  [...names, ...(asked.all ? ['long'] : [])].flatMap((name) => ['--project', name]);
/** Files of the first tier that take longer are listed; in seconds. */
const BUDGETS = { 'unit tests': 20, 'end to end': 45 };
const SLOWEST = 10;

const started = Date.now();
const total = { passed: 0, failed: [], flaky: [], times: [] };

const secondsSince = (start) => `${Math.round((Date.now() - start) / 1000)} s`;

const readText = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

const report = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};

/** Prints the files of a phase that exceed its budget, and on request the slowest ones. `files`: name → seconds. */
const sayTimes = (phase, files) => {
  const slowest = Object.entries(files).sort(([, a], [, b]) => b - a);
  const over = slowest.filter(([file, s]) => s > BUDGETS[phase] && !file.includes('.long.'));
  for (const [file, seconds] of over)
    say(`SLOW    ${file}: ${seconds.toFixed(1)} s, more than ${BUDGETS[phase]} s`);
  if (asked.slowest)
    for (const [file, seconds] of slowest.slice(0, SLOWEST))
      say(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
};

/**
 * Runs and measures a phase. `check(node)` returns `{ passed, failed, flaky, files }`: a count, names, and the seconds of
 * each file; `node(args)` runs a script with its output in a file. Prints one line, and the output only if something
 * failed.
 */
const phase = async (name, check) => {
  const start = Date.now();
  const log = join(FOLDER, `${name.replaceAll(' ', '-')}.log`);
  // The caller's configuration must not affect the checks.
  const node = (args, own = {}) =>
    runInto(log, process.execPath, args, {
      cwd: ROOT,
      env: environmentWith({ NEXT_TELEMETRY_DISABLED: '1', ...own }),
    });
  const result = await check(node).catch((error) => {
    say(error instanceof SetupError ? error.message : error.stack);
    return { passed: 0, failed: [name] };
  });
  const { passed, failed, flaky = [], files = {} } = result;
  const time = secondsSince(start);
  if (failed.length > 0) say(readText(log).trimEnd());
  const counts = [`${passed} passed`, failed.length > 0 && `${failed.length} FAILED`].filter(Boolean);
  say(`${name}: ${counts.join(', ')} in ${time}`);
  sayTimes(name, files);
  total.passed += passed;
  total.failed.push(...failed);
  total.flaky.push(...flaky);
  total.times.push(`${name} ${time}`);
};

/** A phase that counts as one check. */
const single = (name, check) =>
  phase(name, async (node) =>
    (await check(node)) ? { passed: 1, failed: [] } : { passed: 0, failed: [name] },
  );

const unit = async (node) => {
  const file = join(FOLDER, 'unit.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const which = [...projects('server', 'alone', 'components'), ...(asked.all ? [] : ['--tagsFilter=!long'])];
  const ok = await node([bin('vitest/vitest.mjs'), 'run', ...which, ...reporters]);
  const suites = report(file)?.testResults ?? [];
  const tests = suites.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, fullName }) => ({
      status,
      name: `${name.replace(`${ROOT}/`, '')} > ${fullName}`,
    })),
  );
  // A file that cannot be loaded has no tests in the report, so it counts as one failure.
  const broken = suites.filter(
    (suite) => suite.status === 'failed' && !suite.assertionResults.some((t) => t.status === 'failed'),
  );
  const failed = tests.filter(({ status }) => status === 'failed').map(({ name }) => name);
  failed.push(...broken.map(({ name }) => name.replace(`${ROOT}/`, '')));
  if (!ok && failed.length === 0) failed.push('unit tests (vitest itself)');
  const files = Object.fromEntries(
    suites.map(({ name, startTime, endTime }) => [
      name.replace(`${ROOT}/`, ''),
      (endTime - startTime) / 1000,
    ]),
  );
  return { passed: tests.filter(({ status }) => status === 'passed').length, failed, files };
};

/** The first failure in one line, with expected and received values: some systems keep only the end of a long log. */
const reasonOf = ({ results }) =>
  stripVTControlCharacters(results.find(({ error }) => error)?.error.message ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 5)
    .join(' ');

const specsOf = (suite, above = []) => {
  const path = [...above, suite.title].filter(Boolean);
  const own = (suite.specs ?? []).flatMap((spec) =>
    spec.tests.map((test) => ({
      status: test.status,
      name: [...path, spec.title].join(' > '),
      reason: reasonOf(test),
      file: spec.file,
      seconds: test.results.reduce((sum, { duration }) => sum + duration, 0) / 1000,
    })),
  );
  return [...own, ...(suite.suites ?? []).flatMap((inner) => specsOf(inner, path))];
};

/**
 * A failed browser test runs once more: two cores run two browsers, a console and four servers here, and one late
 * frame must not fail a complete run. A test that passes only then counts as passed and is listed as flaky at the end.
 */
const endToEnd = async (node) => {
  const file = join(FOLDER, 'e2e.json');
  const options = [...projects('own console', 'shared console'), '--retries=1', '--reporter=list,json'];
  const ok = await node([bin('@playwright/test/cli.js'), 'test', ...options], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  });
  const specs = (report(file)?.suites ?? []).flatMap((suite) => specsOf(suite));
  const named = (wanted) =>
    specs
      .filter(({ status }) => status === wanted)
      .map(({ name, reason }) => (reason ? `${name}: ${reason}` : name));
  const [passed, failed, flaky] = ['expected', 'unexpected', 'flaky'].map(named);
  if (!ok && failed.length === 0) failed.push('end to end (set-up: see above)');
  const files = {};
  for (const { file, seconds } of specs) files[`e2e/${file}`] = (files[`e2e/${file}`] ?? 0) + seconds;
  return { passed: passed.length + flaky.length, failed, flaky, files };
};

/**
 * `tsc` needs the generated types of routes. Not incremental, so that uses of removed texts are reported. A single
 * checker, because several take twice the processor time, which other checks need.
 */
const types = async (node) =>
  (await node([bin('next/dist/bin/next'), 'typegen'])) &&
  node([bin('typescript/bin/tsc'), '--noEmit', '--incremental', 'false', '--checkers', '1']);

const buildId = join(ROOT, DIST_DIR, 'BUILD_ID');

const checkSources = async () => {
  const { build } = await import('./build.mjs');
  await single('types', types);
  await single('lint', (node) => node([bin('@biomejs/biome/bin/biome'), 'check', '.']));
  await single('rules', (node) => node([join(ROOT, 'scripts/check-architecture.mjs')]));
  await single('build', async () => {
    await build('');
    return existsSync(buildId);
  });
  await single('page weight', (node) => node([join(ROOT, 'scripts/page-weight.mjs'), DIST_DIR]));
};

const main = async () => {
  endOnSignals();
  checkNode();
  await ensureDependencies({ withTests: true });
  await ensureRedis('npm test');
  const { ensureChromium } = await import('./chromium.mjs');
  await ensureChromium();
  for (const folder of [FOLDER, buildId]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });

  // Unit tests wait for their Redis servers often enough to leave a core to the other checks.
  await Promise.all([phase('unit tests', unit), checkSources()]);
  if (existsSync(buildId)) await phase('end to end', endToEnd);
  else total.failed.push('end to end (not run: there is no build)');

  say(`\n${total.times.join(', ')}, total ${secondsSince(started)}`);
  for (const line of total.flaky) say(`FLAKY   ${line}`);
  for (const line of total.failed) say(`FAILED  ${line}`);
  say(`${total.passed} passed, ${total.failed.length} failed`);
  process.exit(total.failed.length > 0 || total.passed === 0 ? 1 : 0);
};

main().catch(fail);

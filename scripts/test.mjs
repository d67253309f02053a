// `npm test`: sets everything up, runs every check, and ends with one line that counts them.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { endOnSignals, startChild } from './child.mjs';
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

const FOLDER = join(ROOT, '.keyward/test');
const bin = (path) => join(ROOT, 'node_modules', path);
const started = Date.now();
const total = { passed: 0, failed: 0, names: [], flaky: [] };

const node = async (args, environment = {}) => {
  // Nothing of the caller's configuration may steer the checks.
  const env = environmentWith({ NEXT_TELEMETRY_DISABLED: '1', ...environment });
  const child = startChild(process.execPath, args, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return (await child.exited).code === 0;
};

const count = (passed, failedNames) => {
  total.passed += passed;
  total.failed += failedNames.length;
  total.names.push(...failedNames);
};

const heading = (text) => say(`\n── ${text} ${'─'.repeat(Math.max(2, 74 - text.length))}`);

/** A check that counts as one. */
const single = async (name, check) => {
  heading(name);
  const start = Date.now();
  let ok = false;
  try {
    ok = await check();
  } catch (error) {
    say(error instanceof SetupError ? error.message : error.stack);
  }
  say(`${name}: ${ok ? 'passed' : 'FAILED'} in ${((Date.now() - start) / 1000).toFixed(1)} s`);
  count(ok ? 1 : 0, ok ? [] : [name]);
  return ok;
};

const report = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};

const unit = async () => {
  heading('unit and integration tests');
  const file = join(FOLDER, 'unit.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const ok = await node([bin('vitest/vitest.mjs'), 'run', ...reporters]);
  const suites = report(file)?.testResults ?? [];
  const tests = suites.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, fullName }) => ({
      status,
      name: `${name.replace(`${ROOT}/`, '')} > ${fullName}`,
    })),
  );
  // A file that cannot be loaded has no tests in the report: it counts as one failure.
  const broken = suites.filter(
    (suite) => suite.status === 'failed' && !suite.assertionResults.some((t) => t.status === 'failed'),
  );
  const failed = tests.filter(({ status }) => status === 'failed').map(({ name }) => name);
  failed.push(...broken.map(({ name }) => name.replace(`${ROOT}/`, '')));
  if (!ok && failed.length === 0) failed.push('unit and integration tests (vitest itself)');
  count(tests.filter(({ status }) => status === 'passed').length, failed);
};

/** What went wrong first, in a line: the end of a long log is all that some places keep. */
const reasonOf = ({ results }) =>
  stripVTControlCharacters(results.find(({ error }) => error)?.error.message ?? '')
    .split('\n')
    .slice(0, 3)
    .join(' ');

const specsOf = (suite, above = []) => {
  const path = [...above, suite.title].filter(Boolean);
  const own = (suite.specs ?? []).flatMap((spec) =>
    spec.tests.map((test) => ({
      status: test.status,
      name: [...path, spec.title].join(' > '),
      reason: reasonOf(test),
    })),
  );
  return [...own, ...(suite.suites ?? []).flatMap((inner) => specsOf(inner, path))];
};

/**
 * A browser test that fails is run once more: two cores drive two browsers, a console and four servers here, and one
 * late frame must not cost a whole run. What passed only then counts as passed and is named at the end, to be mended.
 */
const endToEnd = async () => {
  heading('end to end');
  const file = join(FOLDER, 'e2e.json');
  const options = ['--retries=1', '--reporter=list,json'];
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
  count(passed.length + flaky.length, failed);
  total.flaky.push(...flaky);
};

/** The types of routes are generated: without them `tsc` on a clean clone knows less than the editor. */
const types = async () =>
  (await node([bin('next/dist/bin/next'), 'typegen'])) &&
  (await node([bin('typescript/bin/tsc'), '--noEmit']));

const main = async () => {
  endOnSignals();
  checkNode();
  await ensureDependencies();
  await ensureRedis('npm test');
  const { ensureChromium } = await import('./chromium.mjs');
  const { build } = await import('./build.mjs');
  await ensureChromium();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });

  await single('types', types);
  await single('lint', () => node([bin('@biomejs/biome/bin/biome'), 'check', '.']));
  await single('architecture rules', () => node([join(ROOT, 'scripts/check-architecture.mjs')]));
  await unit();
  const built = await single('production build', async () => {
    await build('', say);
    return existsSync(join(ROOT, '.next/BUILD_ID'));
  });
  if (built) await endToEnd();
  else count(0, ['end to end (not run: there is no build)']);

  heading(`took ${Math.round((Date.now() - started) / 1000)} s`);
  for (const name of total.flaky) say(`FLAKY   ${name}`);
  for (const name of total.names) say(`FAILED  ${name}`);
  say(`${total.passed} passed, ${total.failed} failed`);
  process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
};

main().catch(fail);

// `npm run drills [filter]`: runs scripts/drills/*.drill.ts one after another against a production console with
// separate servers. They take minutes. Exits with 1 if a check failed.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, ensureBuilt } from './build.mjs';
import { endOnSignals } from './child.mjs';
import { checkNode, ensureRedis, fail, ROOT, SetupError, say } from './setup.mjs';

const FOLDER = 'scripts/drills';

/** Prints a drill's figures and the result of each check as they happen. */
const reportTo = (failures) => ({
  say: (text) => say(`      ${text}`),
  check: (what, held, figures = '') => {
    say(`${held ? 'PASS' : 'FAIL'}  ${what}${figures && `: ${figures}`}`);
    if (!held) failures.push(what);
  },
});

const runDrill = async (name) => {
  const failures = [];
  const report = reportTo(failures);
  const startedAt = Date.now();
  say(`\n${name}`);
  try {
    const { url } = await bundle(`${FOLDER}/${name}.drill.ts`);
    const { run } = await import(url);
    await run(report);
  } catch (error) {
    report.check('the drill completes', false, error.stack);
  }
  return { name, failures, seconds: Math.round((Date.now() - startedAt) / 1000) };
};

const main = async () => {
  endOnSignals();
  checkNode();
  process.chdir(ROOT);
  const filter = process.argv[2] ?? '';
  const names = readdirSync(join(ROOT, FOLDER)).flatMap((file) => /^(.+)\.drill\.ts$/.exec(file)?.[1] ?? []);
  const chosen = names.filter((name) => name.includes(filter));
  if (chosen.length === 0) throw new SetupError(`No drill matches "${filter}". Drills: ${names.join(', ')}.`);
  await ensureRedis('npm run drills');
  await ensureBuilt('');
  const results = [];
  for (const name of chosen) results.push(await runDrill(name));
  say('');
  for (const { name, failures, seconds } of results)
    say(
      `${failures.length > 0 ? 'FAIL' : 'PASS'}  ${name} (${seconds} s)${failures.length > 0 ? `: ${failures.join('; ')}` : ''}`,
    );
  const held = results.every(({ failures }) => failures.length === 0);
  process.exit(held ? 0 : 1);
};

main().catch(fail);

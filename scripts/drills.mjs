// `npm run drills [filter]`: runs scripts/drills/*.drill.ts, one after another, against the console in production
// with servers of its own. Ends with 1 where something that must hold did not. They take minutes.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, ensureBuilt } from './build.mjs';
import { endOnSignals } from './child.mjs';
import { checkNode, ensureRedis, fail, ROOT, say } from './setup.mjs';

const FOLDER = 'scripts/drills';

/** What a drill says goes to the terminal as it happens: its figures, and of each check whether it held. */
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
    report.check('the drill comes to its end', false, error.stack);
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
  if (chosen.length === 0) say(`No drill matches "${filter}": there are ${names.join(', ')}.`);
  await ensureRedis('npm run drills');
  await ensureBuilt('');
  const results = [];
  for (const name of chosen) results.push(await runDrill(name));
  say('');
  for (const { name, failures, seconds } of results)
    say(
      `${failures.length > 0 ? 'FAIL' : 'PASS'}  ${name} (${seconds} s)${failures.length > 0 ? `: ${failures.join('; ')}` : ''}`,
    );
  const held = results.length > 0 && results.every(({ failures }) => failures.length === 0);
  process.exit(held ? 0 : 1);
};

main().catch(fail);

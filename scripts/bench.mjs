// `npm run bench [filter]`: runs every lib/**/*.bench.ts against its baseline, each in a process of its own. Exits with
// 1 if a bench misses its limit (`limit`, `held`).
import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { bundle } from './build.mjs';
import { fail, ROOT, say } from './setup.mjs';

const benches = (folder) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return benches(path);
    return path.endsWith('.bench.ts') ? [path] : [];
  });

const count = (value) => Math.round(value).toLocaleString('en');

/** Items per second or milliseconds, depending on the bench. */
const figure = (perSecond, ms) => {
  if (perSecond !== undefined) return `${count(perSecond)}/s`;
  return ms === undefined ? '—' : `${ms.toFixed(2)} ms`;
};

const rowOf = (result) => [
  result.name,
  figure(result.perSecond, result.ms),
  result.baselineName ?? '—',
  figure(result.baselinePerSecond, result.baselineMs ?? result.baseline),
  result.ratio === undefined ? '—' : `${result.ratio.toFixed(2)} ×`,
  result.limit === undefined ? '—' : `${result.limit} ${result.held ? 'held' : 'MISSED'}`,
  result.note ?? '',
];

const table = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const main = async () => {
  const filter = process.argv[2] ?? '';
  const rows = [['what', 'here', 'baseline', 'baseline’s', 'ratio', 'limit', 'note']];
  let missed = 0;
  for (const entry of benches('lib').filter((path) => path.includes(filter))) {
    say(`Running ${entry}…`);
    const { url } = await bundle(entry);
    const { run } = await import(url);
    const results = [await run()].flat();
    missed += results.filter(({ held }) => held === false).length;
    rows.push(...results.map(rowOf));
  }
  say(rows.length > 1 ? `\n${table(rows)}` : `No lib/**/*.bench.ts matches "${filter}".`);
  if (missed > 0) say(`\n${missed} of the limits MISSED.`);
  process.exit(missed > 0 ? 1 : 0);
};

main().catch(fail);

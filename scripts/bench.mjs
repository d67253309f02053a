// `npm run bench [filter]`: runs every lib/**/*.bench.ts against its baseline, in a process of its own.
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

/** Whole numbers of things a second, or milliseconds: whichever the bench measured. */
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
  const rows = [['what', 'here', 'baseline', 'baseline’s', 'ratio', 'note']];
  for (const entry of benches('lib').filter((path) => path.includes(filter))) {
    say(`Running ${entry}…`);
    const { url } = await bundle(entry);
    const { run } = await import(url);
    rows.push(...[await run()].flat().map(rowOf));
  }
  say(rows.length > 1 ? `\n${table(rows)}` : `No lib/**/*.bench.ts matches "${filter}".`);
  process.exit(0);
};

main().catch(fail);

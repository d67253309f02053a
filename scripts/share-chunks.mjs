// Removes copies from a build. Turbopack writes the code that many routes have in common once for each of them, under
// another name: 61 files of 1.5 MB, and a process that had answered all routes held 187 MB of such text alone.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder } from './files-under.mjs';

const SOURCE_MAP = /\n\/\/# sourceMappingURL=\S+\s*$/;
/** A chunk's path as generated code names it; brackets of route parameters belong to it. */
const NAMED = /server\/chunks\/[^"'\\\n]+?\.js(?!\.)/g;
/** Smaller files are as well read twice. */
const MIN_BYTES = 1000;

/** The first of the files with the same code, by the name of each other one: `server/chunks/…js`. */
const copiesIn = (chunks) => {
  const first = new Map();
  const copies = new Map();
  for (const file of filesUnder(chunks)) {
    if (!file.endsWith('.js')) continue;
    const code = readFileSync(file, 'utf8').replace(SOURCE_MAP, '');
    if (code.length < MIN_BYTES) continue;
    const digest = createHash('sha256').update(code).digest('hex');
    const name = `server/chunks${file.slice(chunks.length).replaceAll('\\', '/')}`;
    const known = first.get(digest);
    if (known) copies.set(name, known);
    else first.set(digest, name);
  }
  return copies;
};

/** Lets everything that loads a copy load the first file of the same code, and removes the copies. Returns their number. */
export const shareChunks = (folder) => {
  const server = join(folder, 'server');
  const copies = copiesIn(join(server, 'chunks'));
  if (copies.size === 0) return 0;
  for (const file of filesUnder(server)) {
    if (!file.endsWith('.js')) continue;
    const before = readFileSync(file, 'utf8');
    const after = before.replace(NAMED, (name) => copies.get(name) ?? name);
    if (after !== before) writeFileSync(file, after);
  }
  for (const name of copies.keys()) {
    const file = join(folder, name);
    rmSync(file);
    rmSync(`${file}.map`, { force: true });
  }
  return copies.size;
};

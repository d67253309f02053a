import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shareChunks } from './share-chunks.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chunks-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => {
  const file = join(folder, 'server', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const read = (name: string): string => readFileSync(join(folder, 'server', name), 'utf8');

const code = (name: string, body: string): string =>
  `module.exports = [${body.repeat(500)}]\n//# sourceMappingURL=${name}.map`;

it('lets routes load one file of each code, and removes the copies with their maps', () => {
  for (const name of ['chunks/a.js', 'chunks/b.js', 'chunks/ssr/[x]_c.js']) {
    write(name, code(name.split('/').at(-1)!, '1, '));
    write(`${name}.map`, '{}');
  }
  write('chunks/other.js', code('other.js', '2, '));
  write('chunks/small-1.js', 'x');
  write('chunks/small-2.js', 'x');
  write('app/one/route.js', 'R.c("server/chunks/b.js")\nR.c("server/chunks/other.js")');
  write('app/[id]/page.js', 'R.c("server/chunks/ssr/[x]_c.js")\nR.c("server/chunks/a.js")');
  expect(shareChunks(folder)).toBe(2);
  expect(read('app/one/route.js')).toBe('R.c("server/chunks/a.js")\nR.c("server/chunks/other.js")');
  expect(read('app/[id]/page.js')).toBe('R.c("server/chunks/a.js")\nR.c("server/chunks/a.js")');
  for (const name of ['chunks/b.js', 'chunks/b.js.map', 'chunks/ssr/[x]_c.js'])
    expect(existsSync(join(folder, 'server', name))).toBe(false);
  for (const name of ['chunks/a.js.map', 'chunks/other.js', 'chunks/small-2.js'])
    expect(existsSync(join(folder, 'server', name))).toBe(true);
  expect(shareChunks(folder)).toBe(0);
});

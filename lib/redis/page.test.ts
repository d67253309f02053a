import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { forgetEnv } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { type Chunk, fillPage } from './page';

beforeAll(() => {
  process.env.KEYWARD_SECRET_KEY = Buffer.alloc(32, 1).toString('base64');
  process.env.REDIS_URL = 'redis://127.0.0.1:1';
  forgetEnv();
});

const isServerCursor = (cursor: string) => /^\d+$/.test(cursor);
const servedBy = async () => 'process1';

/** A server whose n-th call returns `calls[n]`; `shuffle` changes the order within a call between pages. */
const server = (calls: readonly string[][], shuffle = (call: string[]) => call) =>
  async function* chunks(from: string): AsyncGenerator<Chunk> {
    for (let at = Number(from); at < calls.length; at++) {
      const elements = shuffle([...calls[at]!]).map((text) => Buffer.from(text));
      yield { elements, cursor: at + 1 < calls.length ? String(at + 1) : null };
    }
  };

const walk = async (chunks: (from: string) => AsyncIterable<Chunk>, limit: number, withinMs = 1000) => {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await fillPage({
      cursor,
      limit,
      withinMs,
      first: '0',
      isServerCursor,
      servedBy,
      chunks,
      read: async (elements) => elements.map((element) => (element[0] === 0x2d ? null : element.toString())),
    });
    pages.push(page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
};

it('shows everything once, in pages no longer than asked for, whatever the order within a call', {
  tags: ['long'],
}, async () => {
  const calls = fc.array(fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 40 }), {
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(calls, fc.integer({ min: 1, max: 30 }), async (drawn, limit) => {
      const unique = [...new Set(drawn.flat())];
      const distinct = drawn.map((call, i) =>
        [...new Set(call)].filter((text) => drawn.findIndex((other) => other.includes(text)) === i),
      );
      const pages = await walk(
        server(distinct, (call) => call.reverse()),
        limit,
      );
      expect(pages.flat().sort()).toEqual(unique.filter((text) => text[0] !== '-').sort());
      expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(limit);
    }),
    { numRuns: 200 },
  );
});

it('loses nothing when the call it goes on from returns more, and more widely, than before', async () => {
  const before = server([['a', 'b', 'c', 'd'], ['e'], ['f']]);
  const request = { limit: 2, withinMs: 1000, first: '0', isServerCursor, servedBy };
  const read = async (elements: Buffer[]) => elements.map((element) => element.toString());
  const first = await fillPage({ ...request, chunks: before, read });
  expect(first.items).toEqual(['a', 'b']);
  const after = server([['f', 'd', 'b', 'e', 'a', 'c']]);
  const rest = await fillPage({ ...request, limit: 10, cursor: first.nextCursor!, chunks: after, read });
  expect(rest.items.sort()).toEqual(['c', 'd', 'e', 'f']);
});

/** What each call gives, by its cursor, and the next cursor. */
type Calls = Record<string, [elements: string[], next: string | null]>;

const callsOf = (calls: Calls) =>
  async function* chunks(from: string): AsyncGenerator<Chunk> {
    for (let at: string | null = from; at !== null; at = calls[at]![1]) {
      const [elements, cursor] = calls[at]!;
      yield { elements: elements.map((text) => Buffer.from(text)), cursor };
    }
  };

it.each<[string, string[], [limit: number, Calls][]]>([
  [
    'the call that a page ended in reaches less far',
    ['abc', 'de'],
    [
      [3, { 0: [['a', 'b', 'c', 'd'], null] }],
      [9, { 0: [['a', 'b'], '2'], 2: [['c', 'd', 'e'], null] }],
    ],
  ],
  [
    'the call reaches less far once more',
    ['abc', 'd', 'ef'],
    [
      [3, { 0: [['a', 'b', 'c', 'd'], null] }],
      [1, { 0: [['a', 'b'], '2'], 2: [['d'], '3'] }],
      [9, { 3: [['c', 'e', 'f'], null] }],
    ],
  ],
  [
    'a table that shrinks gives again what lies before the cursor',
    ['abc', 'd'],
    [
      [3, { 0: [['a', 'b', 'c'], '4'] }],
      [9, { 4: [['c', 'd'], null] }],
    ],
  ],
])('shows an element once though %s', async (_, expected, served) => {
  const pages: string[] = [];
  let cursor: string | undefined;
  for (const [limit, calls] of served) {
    const read = async (elements: Buffer[]) => elements.map((element) => element.toString());
    const request = { cursor, limit, withinMs: 1000, first: '0', isServerCursor, servedBy, read };
    const page = await fillPage({ ...request, chunks: callsOf(calls) });
    pages.push(page.items.join(''));
    cursor = page.nextCursor ?? undefined;
  }
  expect(pages).toEqual(expected);
  expect(cursor).toBeUndefined();
});

it('answers a short page when time is up, and all of a call whose marks do not fit into a cursor', async () => {
  const calls = [['a'], ['b'], ['c']];
  expect(await walk(server(calls), 10, 0)).toEqual([['a'], ['b'], ['c']]);
  const many = Array.from({ length: 500 }, (_, i) => `m${i}`);
  const pages = await walk(server([many]), 100);
  expect(pages.flat().sort()).toEqual([...many].sort());
  expect(pages.map((page) => page.length)).toEqual([100, 100, 100, 200]);
});

const WRONG = ['x', '1~short', '~', '1~abc$ef', '0~'.padEnd(9, '!')];

it.each([...WRONG, ...WRONG.map((cursor) => `${cursor}~process1`), '1', '1~~', '1~~short', '1~~process!'])(
  'refuses the cursor %j',
  async (cursor) => {
    const page = fillPage({
      cursor,
      limit: 1,
      withinMs: 1,
      first: '0',
      isServerCursor,
      servedBy,
      chunks: server([[]]),
      read: async () => [],
    });
    await expect(page).rejects.toThrow(Problem);
  },
);

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { PackedRows } from './packed-rows';

let context: TestContext;
beforeAll(async () => {
  context = await testContext({ apps: ['discours'] });
});
afterAll(() => context.close());

/** What the server's own cmsgpack makes of a Lua expression. */
const pack = (expression: string): Promise<Buffer> =>
  context.redis.callBuffer('EVAL', `return cmsgpack.pack(${expression})`, 0) as Promise<Buffer>;

test('integers of every size are read as the server packs them', async () => {
  const integers = [0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 52];
  const all = [...integers, ...integers.map((each) => -each - 1), -3, -32, -33, -128, -129];
  const rows = new PackedRows(await pack(`{${all.join(',')}}`));
  const read: number[] = [];
  while (rows.hasMore) read.push(rows.integer());
  expect(read).toEqual(all);
});

test('names of every length and any bytes are read', async () => {
  const lengths = [0, 1, 31, 32, 255, 256, 65_535, 65_536];
  const names = lengths.map((length) => `string.rep('\\255', ${length})`);
  const rows = new PackedRows(await pack(`{${names.join(',')}}`));
  for (const length of lengths)
    expect(rows.bytes().equals(Buffer.alloc(length, 0xff)), `${length}`).toBe(true);
  expect(rows.hasMore).toBe(false);
});

test('arrays of every length begin after their head; no bytes are an empty one', async () => {
  for (const length of [1, 15, 16, 70_000]) {
    const all = await pack(`(function() local t = {} for i = 1, ${length} do t[i] = i end return t end)()`);
    const rows = new PackedRows(all);
    const read: number[] = [];
    while (rows.hasMore) read.push(rows.integer());
    expect(read).toEqual(Array.from({ length }, (_, i) => i + 1));
  }
  expect(new PackedRows(Buffer.alloc(0)).hasMore).toBe(false);
});

test('what ends early, or is of another type, is refused', async () => {
  const cut = (await pack("{'0123456789'}")).subarray(0, 5);
  expect(() => new PackedRows(cut).bytes()).toThrow(RangeError);
  expect(() => new PackedRows(cut).integer()).toThrow(TypeError);
  const number = await pack('{7}');
  expect(() => new PackedRows(number).bytes()).toThrow(TypeError);
});

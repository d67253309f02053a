import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JobContext } from '@/lib/jobs/define';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import { withRepeatedElements } from '@/scripts/testing/repeated-elements';
import { countTarget } from './count';
import { type DeletionCounts, deleteKeys, newCounts } from './deletion';
import { resolveTarget } from './resolve-target';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'hawk', 'minidouyin', 'qianxun'] });
  test.handle.budget = new ScanBudget({ chunk: 1000, pauseMs: 0, maxAddedLatencyMs: 10_000 });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const SHOUTS = 'discours.shouts';

interface Noted {
  done: number;
  pending: number;
}

/** `onNote` is called before each chunk, as the store is. */
const contextOf = (onNote: (noted: Noted) => void = () => undefined, signal = new AbortController().signal) =>
  ({
    ...test.as({ auditId: randomUUID() }),
    jobId: randomUUID(),
    isFaster: () => false,
    ...UNFENCED,
    signal,
    progress: async (done: number, _total: number | null, pending: number) => onNote({ done, pending }),
  }) satisfies JobContext;

const deleted = async (ctx: JobContext, family: string, total = 100_000): Promise<DeletionCounts> => {
  const counts = newCounts();
  const target = resolveTarget(ctx, { family });
  await deleteKeys(ctx, { target, withoutUndo: true, total }, counts);
  return counts;
};

const fillShouts = (count: number): Promise<unknown> =>
  test.redis.eval(
    "for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'shouts:author=' .. i .. ':limit=10:offset=0', '[]') end",
    0,
    count,
  );

/** As the server holds them, byte for byte. */
const present = async (): Promise<Set<string>> =>
  new Set((await test.redis.keysBuffer('*')).map((key) => key.toString('latin1')));

const PIECES = [
  ':invalidated',
  'a',
  'author=1',
  ':',
  '=',
  '::',
  ':limit=10',
  '7',
  '-',
  '^',
  ']',
  '[',
  '%',
  '%a',
  '*',
  '\\',
  ' ',
  '.',
  '/',
];
const BYTES = [0x00, 0x0a, 0x1f, 0x7f, 0x80, 0xc3, 0xa9, 0xd0, 0x96, 0xff];
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PIECES).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.constantFrom(...BYTES).map((byte) => Buffer.from([byte])) },
);
const bodies = fc.array(
  fc.array(piece, { maxLength: 6 }).map((parts) => Buffer.concat(parts)),
  {
    minLength: 60,
    maxLength: 60,
  },
);

it('deletes exactly the keys of the family, whatever their bytes are', async () => {
  const family = test.ctx.catalog.mustGet(SHOUTS);
  const [head] = family.compiled.literals as [Uint8Array];
  await fc.assert(
    fc.asyncProperty(bodies, async (parts) => {
      await test.empty();
      const keys = parts.map((body) => Buffer.concat([head, body]));
      await test.redis.mset(...keys.flatMap((key) => [key, '1']));
      const before = await present();
      await deleted(contextOf(), family.id);
      const left = await present();
      for (const key of before) {
        const isOf = test.ctx.catalog.locate(Buffer.from(key, 'latin1')).family?.id === family.id;
        expect([key, left.has(key)]).toEqual([key, !isOf]);
      }
    }),
    { numRuns: 20 },
  );
}, 60_000);

it('saves what it may delete before each call', async () => {
  await fillShouts(60_000);
  const notes: Noted[] = [];
  const ctx = contextOf((noted) => notes.push(noted));
  const counts = await deleted(ctx, SHOUTS, 60_000);
  expect(counts).toMatchObject({ matched: 60_000, deleted: 60_000, vanished: 0 });
  expect(counts.memoryBytes).toBeGreaterThan(60_000 * 50);
  expect(notes.length).toBeGreaterThan(10);
  for (const [i, { done }] of notes.slice(1).entries())
    expect(done).toBeLessThanOrEqual(notes[i]!.done + notes[i]!.pending);
  expect(notes.at(-1)).toEqual({ done: 60_000, pending: 0 });
});

it('stops when it is cancelled, with an exact count', async () => {
  await fillShouts(60_000);
  const controller = new AbortController();
  let notes = 0;
  const ctx = contextOf(() => {
    if (++notes === 5) controller.abort('cancelled');
  }, controller.signal);
  const counts = await deleted(ctx, SHOUTS);
  expect(counts.deleted).toBeGreaterThan(0);
  expect(counts.deleted).toBeLessThan(60_000);
  expect(await test.redis.dbsize()).toBe(60_000 - counts.deleted);
});

it('deletes nothing more when the store cannot record it', async () => {
  await fillShouts(60_000);
  let notes = 0;
  const ctx = contextOf(() => {
    if (++notes > 4) throw new Error('the store is gone');
  });
  const counts = newCounts();
  const target = resolveTarget(ctx, { family: SHOUTS });
  const work = deleteKeys(ctx, { target, withoutUndo: true, total: 60_000 }, counts);
  await expect(work).rejects.toThrow('the store is gone');
  expect(counts.deleted).toBeGreaterThan(0);
  expect(await test.redis.dbsize()).toBe(60_000 - counts.deleted);
});

it('fails when it finds far more keys than expected', async () => {
  await fillShouts(60_000);
  const work = deleted(contextOf(), SHOUTS, 100);
  await expect(work).rejects.toMatchObject({ status: 409 });
  const left = await test.redis.dbsize();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(60_000);
});

it('a key that the server gives twice is counted once', async () => {
  await fillShouts(3000);
  await withRepeatedElements(test, async () => {
    const target = resolveTarget(test.ctx, { family: SHOUTS });
    expect(await countTarget(test.ctx, target, { withinMs: 10_000 })).toMatchObject({
      keys: 3000,
      exact: true,
    });
    expect(await deleted(contextOf(), SHOUTS)).toMatchObject({ matched: 3000, deleted: 3000, vanished: 0 });
  });
});

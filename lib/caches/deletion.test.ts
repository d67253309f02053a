import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Family } from '@/lib/catalog/family';
import type { JobContext } from '@/lib/jobs/define';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { deleteOnly } from './deletion';
import { sureCheck } from './sure';
import { newTally, type Tally } from './tally';
import { familySearch, resolveTarget } from './target';

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
    signal,
    progress: async (done: number, _total: number | null, pending: number) => onNote({ done, pending }),
  }) satisfies JobContext;

const deleted = async (ctx: JobContext, family: string, total = 100_000): Promise<Tally> => {
  const tally = newTally();
  const target = resolveTarget(ctx.catalog, { family });
  await deleteOnly(ctx, { target, withoutUndo: true, total }, tally);
  return tally;
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

const withCheck = (): Family[] => {
  const { families } = test.ctx.catalog;
  return families.filter(
    (family) => family.app !== 'console' && family.type !== 'channel' && sureCheck(families, family) !== null,
  );
};

it('a server told how is never surer of a key than the catalog', async () => {
  const families = withCheck();
  expect(families.map(({ id }) => id)).toEqual(expect.arrayContaining([SHOUTS, 'discours.author-id']));
  for (const family of families) {
    const { match, check } = familySearch(test.ctx.catalog, family, {});
    const [head, tail] = family.compiled.literals as [Uint8Array, Uint8Array];
    await fc.assert(
      fc.asyncProperty(bodies, async (parts) => {
        await test.empty();
        const keys = parts.map((body) => Buffer.concat([head, body, tail]));
        await test.redis.mset(...keys.flatMap((key) => [key, '1']));
        const before = await present();
        const left = await test.ctx.writer.unlinkWhole(
          { match, check: check! },
          { before: async () => true, after: () => undefined },
        );
        for await (const { keys: undecided } of left!)
          for (const key of undecided) expect(before.has(key.toString('latin1'))).toBe(true);
        const after = await present();
        for (const key of before) {
          const bytes = Buffer.from(key, 'latin1');
          const isOf = test.ctx.catalog.locate(bytes).family?.id === family.id;
          if (!after.has(key)) expect([key, isOf]).toEqual([key, true]);
        }
        // What it was not sure of is the console's to decide: in the end all of the family is gone, and nothing else.
        await deleted(contextOf(), family.id);
        for (const key of before) {
          const bytes = Buffer.from(key, 'latin1');
          const isOf = test.ctx.catalog.locate(bytes).family?.id === family.id;
          expect([key, (await present()).has(key)]).toEqual([key, !isOf]);
        }
      }),
      { numRuns: 4 },
    );
  }
}, 60_000);

it('classes are of few ranges, and special characters stay what they are', () => {
  const byteOf = (id: string) => sureCheck(test.ctx.catalog.families, test.ctx.catalog.mustGet(id))?.byte;
  expect(byteOf(SHOUTS)).toBe('[ -9;-~]');
  expect(byteOf('discours.oauth-state')).toBe('[+%-.-9=A-Z_a-z~]');
});

it('what an application usually writes is deleted where it is met, and not asked about', async () => {
  await fillShouts(3000);
  const { match, check } = familySearch(test.ctx.catalog, test.ctx.catalog.mustGet(SHOUTS), {});
  let gone = 0;
  const walk = await test.ctx.writer.unlinkWhole(
    { match, check: check! },
    {
      before: async () => true,
      after: (most, count, memoryBytes) => {
        expect(count).toBeLessThanOrEqual(most);
        if (count > 0) expect(memoryBytes).toBeGreaterThan(50);
        gone += count;
      },
    },
  );
  for await (const { keys } of walk!) expect(keys).toEqual([]);
  expect(gone).toBe(3000);
  expect(await test.redis.dbsize()).toBe(0);
});

it('before each call the record holds all that it may delete', async () => {
  await fillShouts(60_000);
  const notes: Noted[] = [];
  let surplus = 0;
  const tally = newTally();
  const ctx = contextOf((noted) => {
    notes.push(noted);
    surplus = Math.max(surplus, tally.deleted - noted.done);
  });
  const target = resolveTarget(ctx.catalog, { family: SHOUTS });
  await deleteOnly(ctx, { target, withoutUndo: true, total: 60_000 }, tally);
  expect(tally).toMatchObject({ matched: 60_000, deleted: 60_000, vanished: 0 });
  expect(tally.memoryBytes).toBeGreaterThan(60_000 * 50);
  expect(notes.length).toBeGreaterThan(10);
  for (const { pending } of notes) expect(pending).toBeGreaterThan(0);
});

it('is left where it is when it is cancelled, and the count is exact', async () => {
  await fillShouts(60_000);
  const controller = new AbortController();
  let notes = 0;
  const ctx = contextOf(() => {
    if (++notes === 5) controller.abort('cancelled');
  }, controller.signal);
  const tally = await deleted(ctx, SHOUTS);
  expect(tally.deleted).toBeGreaterThan(0);
  expect(tally.deleted).toBeLessThan(60_000);
  expect(await test.redis.dbsize()).toBe(60_000 - tally.deleted);
});

it('nothing more is deleted when the store cannot take what is about to be', async () => {
  await fillShouts(60_000);
  let notes = 0;
  const ctx = contextOf(() => {
    if (++notes > 4) throw new Error('the store is gone');
  });
  const tally = newTally();
  const target = resolveTarget(ctx.catalog, { family: SHOUTS });
  const work = deleteOnly(ctx, { target, withoutUndo: true, total: 60_000 }, tally);
  await expect(work).rejects.toThrow('the store is gone');
  expect(tally.deleted).toBeGreaterThan(0);
  expect(await test.redis.dbsize()).toBe(60_000 - tally.deleted);
});

it('is given up where far more are met than were expected', async () => {
  await fillShouts(60_000);
  const work = deleted(contextOf(), SHOUTS, 100);
  await expect(work).rejects.toMatchObject({ status: 409 });
  const left = await test.redis.dbsize();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(60_000);
});

it('leaves long keys to the catalog, of which the server would look at every byte again and again', async () => {
  await fillShouts(3);
  await test.redis.set(`shouts:author=${'1'.repeat(600)}`, '[]');
  const letters = `shouts:${'a'.repeat(300_000)}`;
  await test.redis.set(letters, '[]');
  const { deleted: gone } = await deleted(contextOf(), SHOUTS);
  const kept = await present();
  expect(kept.has(letters)).toBe(catalogTakes(letters));
  expect(gone + kept.size).toBe(5);
  const [slowest] = (await test.redis.slowlog('GET', 1)) as [unknown, unknown, number][];
  expect(slowest?.[2] ?? 0).toBeLessThan(1_000_000);
});

const catalogTakes = (key: string): boolean =>
  test.ctx.catalog.locate(Buffer.from(key)).family?.id !== SHOUTS;

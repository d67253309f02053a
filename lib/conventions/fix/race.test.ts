import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JobContext } from '@/lib/jobs/define';
import { type TestContext, testContext } from '@/scripts/testing/context';
import type { FixableRule } from '../schema';
import { basisOf } from './basis';
import { readFacts } from './facts';
import { FixCounts } from './fix-counts';
import type { FixBatch } from './fixing';
import { renameKeys } from './rename';
import { ONLY_COPY, trimKeys } from './trim';

let test: TestContext;

beforeAll(async () => {
  test = await testContext({ apps: ['qianxun'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

/** Fixes keys while an application writes after the copy is stored, and before the key itself is changed. */
const fixBeside = async (
  rule: FixableRule,
  fix: FixBatch,
  { keys, write }: { keys: string[]; write: () => Promise<unknown> },
) => {
  const { signal } = new AbortController();
  const job = { jobId: 'j', signal, isFaster: () => false, progress: async () => undefined };
  const ctx: JobContext = { ...test.ctx, ...job };
  const basis = await basisOf(ctx, rule);
  const facts = await readFacts(
    ctx,
    rule,
    keys.map((key) => Buffer.from(key)),
  );
  const faults = facts.map((each) => ({ facts: each, detail: basis.faultOf(each)! }));
  expect(faults.every(({ detail }) => detail)).toBe(true);
  const counts = new FixCounts(rule, false);
  const undo = { add: async () => void (await write()) };
  await fix({ ctx, basis, dryRun: false, counts, undo, throttled: (call) => call() }, faults);
  return counts;
};

it('keeps a key that changed after it was copied to its new name, and removes the copy', async () => {
  await test.redis.mset('shop_item_1', 'one', 'shop_item_2', 'two');
  const keys = ['shop_item_1', 'shop_item_2'];
  const write = () => test.redis.set('shop_item_1', 'newer');
  const counts = await fixBeside('name-format', renameKeys, { keys, write });
  expect(counts).toMatchObject({ fixed: 1, conflicts: 1, vanished: 0 });
  expect(await test.redis.mget('shop_item_1', 'shop:item:1')).toEqual(['newer', null]);
  expect(await test.redis.mget('shop_item_2', 'shop:item:2')).toEqual([null, 'two']);
});

it('leaves a copy that an application already changed under the new name', async () => {
  await test.redis.set('shop_item_1', 'one');
  const write = () => test.redis.mset('shop_item_1', 'newer', 'shop:item:1', 'own');
  const counts = await fixBeside('name-format', renameKeys, { keys: ['shop_item_1'], write });
  expect(counts).toMatchObject({ fixed: 0, conflicts: 1 });
  expect(await test.redis.mget('shop_item_1', 'shop:item:1')).toEqual(['newer', 'own']);
});

it('trims nothing of a list that changed after its copy was stored', async () => {
  const elements = Array.from({ length: 10_001 }, (_, i) => String(i));
  await test.redis.rpush('recent:user:1', ...elements);
  const write = () => test.redis.lpush('recent:user:1', 'newer');
  const counts = await fixBeside('collection-length', trimKeys, { keys: ['recent:user:1'], write });
  expect(counts).toMatchObject({ fixed: 0, conflicts: 1 });
  expect(await test.redis.llen('recent:user:1')).toBe(10_002);
});

it('trims neither waiting work nor conversations, whose elements are nowhere else', async () => {
  const elements = Array.from({ length: 10_001 }, (_, i) => String(i));
  const keys = ['queue:mail', 'message:1:2'];
  for (const key of keys) await test.redis.rpush(key, ...elements);
  const write = () => Promise.resolve();
  const counts = await fixBeside('collection-length', trimKeys, { keys, write });
  expect((await counts.result(test.ctx)).skippedBecause).toContainEqual({ reason: ONLY_COPY, keys: 2 });
  for (const key of keys) expect(await test.redis.llen(key)).toBe(10_001);
});

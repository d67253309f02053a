import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type JobContext, PartialFailure } from '@/lib/jobs/define';
import { MAX_SNAPSHOT_BYTES } from '@/lib/snapshots/snapshots';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import { restartBeside, restartDuring } from '@/scripts/testing/restart';
import { countTarget } from './count';
import { deleteKeys, newCounts } from './deletion';
import { resolveTarget } from './resolve-target';
import { restorationJob } from './restore-job';
import { ttlJob } from './ttl-job';

const KEYS = 300;
const PATTERN = { pattern: 'shouts:*' };

let test: TestContext;
beforeEach(async () => {
  const scan = { chunk: 4, pauseMs: 0.1, maxAddedLatencyMs: 1000 };
  test = await testContext({ apps: ['discours'], scan });
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < KEYS; i++) pipeline.set(`shouts:author=${i}:limit=10:offset=0`, '[]');
  await pipeline.exec();
});
afterEach(() => test.close());

const job = (): JobContext => ({
  ...test.as({ auditId: randomUUID() }),
  jobId: randomUUID(),
  isFaster: () => false,
  ...UNFENCED,
  signal: new AbortController().signal,
  progress: async () => undefined,
});

it.each([
  [true, 4],
  [true, 12],
  [false, 4],
  [false, 12],
])(
  'an invalidation goes on to the end, each key counted once (without undo: %s, call %i)',
  async (withoutUndo, at) => {
    await test.redis.set('shouts:too-large', Buffer.alloc(MAX_SNAPSHOT_BYTES + 1));
    restartDuring(test, at);
    const [ctx, counts] = [job(), newCounts()];
    const target = resolveTarget(ctx, PATTERN);
    await deleteKeys(ctx, { target, withoutUndo, total: KEYS }, counts);
    expect(counts).toMatchObject({ matched: KEYS + 1, deleted: KEYS + 1, vanished: 0 });
    expect(await test.redis.dbsize()).toBe(0);
  },
);

it.each([
  [true, 'scan'],
  [true, 'change'],
  [false, 'scan'],
  [false, 'change'],
] as const)(
  'an invalidation goes on to the end where it meets the server gone (without undo: %s, at a %s)',
  async (withoutUndo, of) => {
    const { back } = restartBeside(test, 4, of);
    const [ctx, counts] = [job(), newCounts()];
    const target = resolveTarget(ctx, PATTERN);
    await deleteKeys(ctx, { target, withoutUndo, total: KEYS }, counts);
    await back();
    expect(counts).toMatchObject({ matched: KEYS, deleted: KEYS, vanished: 0 });
    expect(await test.redis.dbsize()).toBe(0);
  },
);

it.each([
  [true, 1],
  [true, 2],
  [false, 1],
  [false, 2],
])(
  'an invalidation counts named keys that were gone before it, where the server restarts before it hears (without undo: %s, batch %i)',
  async (withoutUndo, batch) => {
    const names = Array.from({ length: 12 }, (_, i) => `shouts:${i}`);
    for (const name of names.slice(0, 9)) await test.redis.set(name, 'kept');
    const ctx = job();
    let [announced, snapshots] = [0, 0];
    // One is announced before the walk begins.
    const progress = async () => {
      announced += 1;
      // Not while a batch is deleted: the server would forget that.
      if (withoutUndo && announced === batch + 1) await test.handle.own.whileIdle(test.restart);
    };
    const runNear: typeof ctx.writer.runNear = async (script, ...rest) => {
      const reply = await ctx.writer.runNear(script, ...rest);
      if (script.name === 'snapshot-keys' && ++snapshots === batch) await test.restart();
      return reply;
    };
    const keyIds = names.map((name) => Buffer.from(name).toString('base64url'));
    const target = resolveTarget(ctx, { keyIds });
    const counts = newCounts();
    const writer = { ...ctx.writer, runNear };
    await deleteKeys({ ...ctx, writer, progress }, { target, withoutUndo, total: 12 }, counts);
    expect(counts).toMatchObject({ matched: 12, deleted: 9, vanished: 3 });
  },
);

it('an invalidation of named keys counts what it deleted before once', async () => {
  const keyIds = (await test.redis.keys('*')).map((key) => Buffer.from(key).toString('base64url'));
  const [ctx, counts] = [job(), newCounts()];
  const target = resolveTarget(ctx, { keyIds });
  let calls = 0;
  const progress = async () => {
    calls += 1;
    if (calls === 5) await test.restart();
  };
  await deleteKeys({ ...ctx, progress }, { target, withoutUndo: false, total: KEYS }, counts);
  expect(counts).toMatchObject({ matched: KEYS, deleted: KEYS, vanished: 0 });
});

it('an undo restores what a restart brought back and the invalidation deleted then', async () => {
  await test.redis.flushall();
  const names = Array.from({ length: 12 }, (_, i) => `shouts:${i}`);
  for (const name of names) await test.redis.set(name, 'kept');
  const ctx = job();
  const keyIds = names.map((name) => Buffer.from(name).toString('base64url'));
  const target = resolveTarget(ctx, { keyIds });
  let calls = 0;
  const progress = async () => {
    calls += 1;
    // Between its copy and its deletion the first key goes; the server then comes back as it was before.
    if (calls === 2) await test.redis.del(names[0]!);
    if (calls !== 3) return;
    await test.redis.set(names[0]!, 'kept');
    await test.restart();
  };
  const counts = newCounts();
  await deleteKeys({ ...ctx, progress }, { target, withoutUndo: false, total: 12 }, counts);
  expect(counts).toMatchObject({ deleted: 12, vanished: 1 });
  const { auditId } = ctx;
  await restorationJob.run(job(), { of: 'keys', auditId, label: target.label, sensitive: true });
  expect(await test.redis.mget(names)).toEqual(names.map(() => 'kept'));
});

it('an undo never restores an older value than the one that was deleted last', { tags: 'long' }, async () => {
  const names = Array.from({ length: 12 }, (_, i) => `shouts:${i}`);
  for (const name of names) await test.redis.set(name, 'old');
  const ctx = job();
  const keyIds = names.map((name) => Buffer.from(name).toString('base64url'));
  const target = resolveTarget(ctx, { keyIds });
  let [calls, expiresAt] = [0, 0];
  const progress = async () => {
    calls += 1;
    if (calls !== 3) return;
    // The application rebuilds a deleted key, and the restarted walk deletes it again.
    expiresAt = Date.now() + 3000;
    await test.redis.set(names[0]!, 'new', 'PXAT', expiresAt);
    await test.restart();
  };
  const counts = newCounts();
  await deleteKeys({ ...ctx, progress }, { target, withoutUndo: false, total: 12 }, counts);
  expect(counts).toMatchObject({ matched: 13, deleted: 13, vanished: 0 });
  await expect.poll(() => Date.now(), { timeout: 5000 }).toBeGreaterThan(expiresAt);
  const { auditId } = ctx;
  const kept = { of: 'keys' as const, auditId, label: target.label, sensitive: true };
  const { result } = await restorationJob.run(job(), kept);
  expect(result).toMatchObject({ kept: 12, restored: 11, expired: 1 });
  expect(await test.redis.mget(names)).toEqual(names.map((_, i) => (i === 0 ? null : 'old')));
});

it('a preview counts each key once', async () => {
  restartDuring(test, 1);
  const target = resolveTarget(test.ctx, PATTERN);
  expect(await countTarget(test.ctx, target, { withinMs: 20_000 })).toMatchObject({
    keys: KEYS,
    exact: true,
  });
});

it('setting TTLs fails: keys that have their new TTL cannot be distinguished from the rest', async () => {
  restartDuring(test, 4);
  const work = { target: PATTERN, ttlSeconds: 600, jitterSeconds: 60, dryRun: false, total: KEYS };
  const unfinished = await ttlJob.run(job(), work).catch((error: unknown) => error);
  expect(unfinished).toBeInstanceOf(PartialFailure);
  const { cause, outcome } = unfinished as PartialFailure;
  expect((cause as Error).message).toContain('restarted');
  const { matched, added } = outcome.result as { matched: number; added: number };
  expect(matched).toBeGreaterThan(0);
  expect(added).toBe(matched);
});

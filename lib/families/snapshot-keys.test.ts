import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readUndo } from '@/lib/command/undo-record';
import { Problem } from '@/lib/errors';
import type { JobContext } from '@/lib/jobs/define';
import type { Store } from '@/lib/redis/store';
import type { Writer } from '@/lib/redis/writer';
import { expiryArg } from '@/lib/snapshots/restore-keys';
import { snapshot, unlinkUnchanged } from '@/lib/snapshots/snapshot-keys';
import { readSnapshots, Snapshots } from '@/lib/snapshots/snapshots';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { deleteKeys, newCounts } from './deletion';
import { resolveTarget } from './resolve-target';
import { restorationJob } from './restore-job';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const bytes = (...keys: string[]) => keys.map((key) => Buffer.from(key));

it('deletes keys only if they are unchanged', async () => {
  const names = ['same', 'value', 'type', 'gone', 'field', 'ttl'];
  await test.redis.mset({ same: '1', value: '1', type: '1', gone: '1', ttl: '1' });
  await test.redis.hset('field', { a: '1' });
  const shot = await snapshot(test.ctx.writer, bytes(...names, 'never'));
  expect(shot.there.map(({ key }) => key.toString())).toEqual(names);
  expect(shot.gone).toEqual(bytes('never'));
  expect(shot.memoryBytes).toBeGreaterThan(100);
  await test.redis.set('value', '2');
  await test.redis.del('type', 'gone');
  await test.redis.rpush('type', '1');
  await test.redis.hset('field', { a: '2' });
  await test.redis.expire('ttl', 100);
  const done = await unlinkUnchanged(test.ctx.writer, shot);
  expect(done).toEqual({ deleted: 2, gone: bytes('gone'), changed: bytes('value', 'type', 'field') });
  expect((await test.redis.keys('*')).sort()).toEqual(['field', 'type', 'value']);
});

it('reads no more than fits into one call, and no value that is too large', async () => {
  for (let i = 0; i < 5; i++) await test.redis.setrange(`k${i}`, 300_000, 'x');
  await test.redis.setrange('huge', 9 * 1024 * 1024, 'x');
  const first = await snapshot(test.ctx.writer, bytes('huge', 'k0', 'k1', 'k2', 'k3', 'k4'));
  expect(first.tooLarge).toEqual(bytes('huge'));
  // The dump of a string of zeros is short.
  expect(first.there.length + first.left.length).toBe(5);
  for (let i = 0; i < 5; i++) await test.redis.set(`k${i}`, Buffer.from(randomUUID().repeat(12_000)));
  await test.redis.config('SET', 'rdbcompression', 'no');
  const second = await snapshot(test.ctx.writer, bytes('k0', 'k1', 'k2', 'k3', 'k4'));
  await test.redis.config('SET', 'rdbcompression', 'yes');
  expect([second.there.length, second.left.length]).toEqual([2, 3]);
});

it('retries changed keys, skips those that keep changing, and undoes nothing that others did', async () => {
  for (let i = 0; i < 10; i++) await test.redis.set(`topic:id:${i}`, 'first');
  const { writer } = test.ctx;
  let deletions = 0;
  const meddling: Writer['runNear'] = async (script, near, args) => {
    if (script.name === 'unlink-unchanged') {
      deletions += 1;
      await test.redis.set('topic:id:2', `again ${deletions}`);
      if (deletions === 1) await test.redis.set('topic:id:1', 'second');
      if (deletions === 1) await test.redis.del('topic:id:3');
    }
    return writer.runNear(script, near, args);
  };
  const ctx: JobContext = {
    ...test.as({ auditId: randomUUID() }),
    writer: { ...writer, runNear: meddling },
    jobId: randomUUID(),
    isFaster: () => false,
    ...UNFENCED,
    signal: new AbortController().signal,
    progress: async () => undefined,
  };
  const counts = newCounts();
  const target = resolveTarget(ctx, { family: 'discours.topic-id' });
  expect(await deleteKeys(ctx, { target, withoutUndo: false, total: 10 }, counts)).not.toBeNull();
  expect(counts).toMatchObject({ matched: 10, deleted: 8, vanished: 1, changed: 1 });
  expect(await test.redis.keys('*')).toEqual(['topic:id:2']);
  const kept = restorationJob.payload.parse(await readUndo(ctx.store, ctx.auditId));
  const { result } = await restorationJob.run({ ...ctx, auditId: randomUUID() }, kept);
  expect(result).toEqual({ kept: 8, restored: 8, rebuilt: 0, expired: 0, refused: 0 });
  expect(await test.redis.get('topic:id:1')).toBe('second');
  expect(await test.redis.get('topic:id:0')).toBe('first');
  expect(await test.redis.get('topic:id:2')).toMatch(/^again/);
  expect(await test.redis.exists('topic:id:3')).toBe(0);
});

it('keeps the copies until replicas have confirmed what was restored', async () => {
  for (let i = 0; i < 10; i++) await test.redis.set(`topic:id:${i}`, 'first');
  const ctx: JobContext = {
    ...test.as({ auditId: randomUUID() }),
    jobId: randomUUID(),
    isFaster: () => false,
    ...UNFENCED,
    signal: new AbortController().signal,
    progress: async () => undefined,
  };
  const target = resolveTarget(ctx, { family: 'discours.topic-id' });
  await deleteKeys(ctx, { target, withoutUndo: false, total: 10 }, newCounts());
  const kept = restorationJob.payload.parse(await readUndo(ctx.store, ctx.auditId));
  const undo = (confirmed: boolean) =>
    restorationJob.run({ ...ctx, auditId: randomUUID(), confirmed: async () => confirmed }, kept);
  await expect(undo(false)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('undo again') },
    outcome: { result: { restored: 10 } },
  });
  // As after a failover to a replica that has none of them.
  await test.redis.flushdb();
  expect((await undo(true)).result).toMatchObject({ restored: 10 });
  expect((await undo(true)).result).toMatchObject({ kept: 0 });
});

it('counts what its scripts add to the hits and misses of the server', async () => {
  const { writer } = test.ctx;
  const { own } = test.handle;
  const read = async () => {
    const info = await test.redis.info('stats');
    const number = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(info)![1]);
    const [hits, misses] = [number('keyspace_hits'), number('keyspace_misses')];
    // Beside our commands, the server has counted the INFO that asks.
    return { hits, misses, commands: number('total_commands_processed'), own: own.snapshot() };
  };
  for (let i = 0; i < 10; i++) await test.redis.set(`k${i}`, 'v');
  const keys = bytes(...Array.from({ length: 12 }, (_, i) => `k${i}`));
  const shorten = { name: 'shorten-ttl', otherCalls: () => 1 + 10 };
  // Each once before, so that no script is unknown to the server.
  const all = async () => {
    await writer.runNear(shorten, keys[0]!, ['0', ...keys.flatMap((key) => [key, 60_000, ''])]);
    const shot = await snapshot(writer, keys);
    await unlinkUnchanged(writer, shot);
    const args = shot.there.flatMap(({ key, expires, value }) => [key, expiryArg(expires), value]);
    const restore = { name: 'restore-keys', otherCalls: () => 1 + shot.there.length };
    await writer.runNear(restore, keys[0]!, args);
    for (let i = 0; i < 10; i++) await test.redis.persist(`k${i}`);
  };
  await all();
  const before = await read();
  await all();
  const after = await read();
  expect(after.hits - before.hits).toBe(after.own.hits - before.own.hits);
  expect(after.misses - before.misses).toBe(after.own.misses - before.own.misses);
  // Redis 6.2 gives an expiry only with its TIME, twice for each key.
  const others = 10 + 1 + (IS_REDIS_6 ? 22 : 0);
  expect(after.commands - before.commands).toBe(after.own.commands - before.own.commands + others);
});

it('adds nothing after a part that may not have been written', async () => {
  const auditId = randomUUID();
  let lost = false;
  const store: Store = {
    ...test.ctx.store,
    use: async (work) => {
      const reply = await test.ctx.store.use(work);
      if (lost) throw new Problem('store_unavailable', 'late');
      return reply;
    },
  };
  const kept = new Snapshots(store, auditId);
  const part = await kept.prepare([
    { key: Buffer.from('k'), mark: 'plain', expires: -1, value: Buffer.from('v') },
  ]);
  await kept.add(part, 1);
  lost = true;
  await expect(kept.add(part, 1)).rejects.toMatchObject({ code: 'store_unavailable' });
  lost = false;
  await expect(kept.add(part, 1)).rejects.toMatchObject({ code: 'store_unavailable' });
  const parts: number[] = [];
  for await (const { entries } of readSnapshots(test.ctx.store, auditId)) parts.push(entries.length);
  expect(parts).toEqual([1, 1]);
});

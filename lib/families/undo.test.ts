import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findEntry, listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { env } from '@/lib/configuration';
import type { Problem } from '@/lib/errors';
import { cancelJob } from '@/lib/jobs/commands';
import { registerJob } from '@/lib/jobs/define';
import { closeQueue } from '@/lib/jobs/queue';
import { readRecord } from '@/lib/jobs/record';
import { type Runner, startRunner } from '@/lib/jobs/runner';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { keyId } from '@/lib/keyspace/display';
import { closeConnections, connections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { countParts, readSnapshots, replacePart, type SnapshotEntry } from '@/lib/snapshots/snapshots';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { expiryOf } from '@/scripts/testing/this-redis';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import { invalidate, setTtl } from './commands';
import { invalidationJob } from './invalidation-job';
import { restorationJob } from './restore-job';
import { ttlJob } from './ttl-job';

let test: TestContext;
let users: UserOfEachRole;
let runner: Runner | null = null;

beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  for (const job of [invalidationJob, ttlJob, restorationJob]) registerJob(job);
  registerUndoable([invalidate, setTtl]);
});
beforeEach(async () => {
  closeStore();
  await test.empty();
  users = await userOfEachRole();
  Object.assign(connections().get('main')!.config.scan, { pauseMs: 0, maxAddedLatencyMs: 1000 });
});
afterEach(async () => {
  await runner?.close();
  runner = null;
  await closeQueue();
  closeConnections();
  await test.redis.config('SET', 'maxmemory', '0');
  await test.storeRedis.config('SET', 'maxmemory', '0');
});
afterAll(() => test.close());

type Role = 'admin' | 'product' | 'viewer';
type Result = Record<string, number | string | null>;

const call = (raw: object, role: Role) => ({
  actor: users[role],
  requestId: 'r',
  connection: test.handle,
  raw,
});

const record = async (jobId: string) => (await readRecord(store(), jobId))!;
const over = async (jobId: string) => {
  runner ??= startRunner(store());
  await expect.poll(async () => (await record(jobId)).finishedAt, { timeout: 20_000 }).not.toBeNull();
  await expect
    .poll(async () => (await findEntry(store(), (await record(jobId)).auditId))?.outcome)
    .not.toBe('pending');
  return record(jobId);
};

const invalidated = async (raw: object, role: Role = 'admin') => {
  const { jobId, auditId } = await runCommand(invalidate, call(raw, role));
  return { ...(await over(jobId)), auditId };
};

const undo = (auditId: string, role: Role = 'admin') =>
  runCommand(undoChange, { actor: users[role], requestId: 'r', connection: null, raw: { auditId } });

const undone = async (auditId: string, role: Role = 'admin') => {
  const { jobId } = await undo(auditId, role);
  const job = await over(jobId!);
  expect(job.state).toBe('done');
  return job.result as Result;
};

const refusal = (work: Promise<unknown>): Promise<Problem> =>
  work.then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => error as Problem,
  );

const id = (key: string | Buffer) => keyId(Buffer.from(key));
const topics = (count: number, more: Record<string, string> = {}) =>
  test.redis.mset({
    ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`topic:id:${i}`, `{"n":${i}}`])),
    ...more,
  });

describe('what was invalidated', () => {
  it('comes back as it was: every type, any bytes, with the time it would have had left', async () => {
    const odd = Buffer.concat([Buffer.from('topic:slug:'), Buffer.from([0xff, 0x00, 0xfe])]);
    await test.redis.set('topic:id:1', Buffer.from([0, 255, 1]), 'PX', 60_000);
    await test.redis.hset('topic:id:2', { a: '1', b: '2' });
    await test.redis.zadd('topic:id:3', 1.5, 'x', 2, 'y');
    await test.redis.rpush('topic:id:4', 'x', 'y');
    await test.redis.xadd('topic:id:5', '*', 'f', 'v');
    await test.redis.set(odd, 'x');
    const keys = ['topic:id:1', 'topic:id:2', 'topic:id:3', 'topic:id:4', 'topic:id:5', odd];
    const before = await Promise.all(keys.map((key) => test.redis.dumpBuffer(key)));
    const expires = await expiryOf(test.redis, 'topic:id:1');
    const { auditId, result } = await invalidated({ keyIds: keys.map(id) });
    expect(result).toMatchObject({ matched: 6, deleted: 6, vanished: 0, changed: 0, notKept: 0 });
    expect(await test.redis.dbsize()).toBe(0);
    const entry = await findEntry(store(), auditId);
    expect(Date.parse(entry!.undoUntil!) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(await undone(auditId)).toEqual({ kept: 6, restored: 6, rebuilt: 0, expired: 0, refused: 0 });
    expect(await Promise.all(keys.map((key) => test.redis.dumpBuffer(key)))).toEqual(before);
    expect(Math.abs((await expiryOf(test.redis, 'topic:id:1')) - expires)).toBeLessThanOrEqual(5);
    expect((await findEntry(store(), auditId))?.undoneBy).toBeTruthy();
    expect(await countParts(store(), auditId)).toBe(0);
    expect((await refusal(undo(auditId))).message).toContain('already');
  });

  it('is restored only where it was not rebuilt, and not when it would have expired', {
    tags: 'long',
  }, async () => {
    await topics(5);
    await test.redis.pexpire('topic:id:3', 3000);
    const expires = await expiryOf(test.redis, 'topic:id:3');
    const { auditId } = await invalidated({ family: 'discours.topic-id' });
    await test.redis.set('topic:id:0', 'rebuilt');
    await expect.poll(() => Date.now(), { timeout: 5000 }).toBeGreaterThan(expires);
    expect(await undone(auditId)).toEqual({ kept: 5, restored: 3, rebuilt: 1, expired: 1, refused: 0 });
    expect(await test.redis.get('topic:id:0')).toBe('rebuilt');
    expect(await test.redis.exists('topic:id:3')).toBe(0);
  });

  it('is not in the store in the clear, and expires there', async () => {
    await test.redis.set('topic:id:1', 'a secret among the values');
    const { auditId } = await invalidated({ family: 'discours.topic-id' });
    const key = consoleFamilies.undoKeys.key({ id: auditId });
    const [part] = await test.storeRedis.lrangeBuffer(key, 0, -1);
    expect(part!.length).toBeGreaterThan(40);
    expect(part!.includes('secret')).toBe(false);
    expect(await test.storeRedis.pttl(key)).toBeGreaterThan(0);
    await test.storeRedis.lset(
      key,
      0,
      Buffer.concat([part!.subarray(0, 40), Buffer.from('x'), part!.subarray(41)]),
    );
    const { jobId } = await undo(auditId);
    expect(await over(jobId!)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('no longer be read'),
    });
  });

  it('is undone once at a time, by a user who may invalidate it', async () => {
    await topics(3);
    const { auditId } = await invalidated({ family: 'discours.topic-id' }, 'product');
    expect((await refusal(undo(auditId, 'viewer'))).status).toBe(403);
    await runner?.close();
    runner = null;
    await undo(auditId, 'product');
    expect((await refusal(undo(auditId))).status).toBe(409);
  });

  it('that was guarded is not restored without that permission', async () => {
    await test.redis.set('env_vars:A', '1');
    const { auditId } = await invalidated({ keyIds: [id('env_vars:A')] });
    expect((await refusal(undo(auditId, 'product'))).status).toBe(403);
    expect(await undone(auditId)).toMatchObject({ restored: 1 });
  });
});

describe('an undo that could not be finished', () => {
  const COUNT = 4000;

  /** Ends it in the state that the server is brought into when about half is restored. */
  const interruptedBy = async (enter: () => Promise<unknown>, leave: () => Promise<unknown>) => {
    Object.assign(connections().get('main')!.config.scan, { chunk: 50, pauseMs: 1 });
    await topics(COUNT);
    const { auditId } = await invalidated({ family: 'discours.topic-id' });
    const { jobId } = await undo(auditId);
    await expect
      .poll(async () => (await record(jobId!)).done, { timeout: 20_000, interval: 2 })
      .toBeGreaterThan(COUNT / 4);
    await enter();
    const job = await over(jobId!);
    await leave();
    return { auditId, job, there: await test.redis.dbsize() };
  };

  it.each([
    [
      'a read-only replica',
      'a read-only replica',
      () => test.redis.call('REPLICAOF', '127.0.0.1', '1'),
      () => test.redis.call('REPLICAOF', 'NO', 'ONE'),
    ],
    [
      'full',
      'its memory limit is reached',
      () => test.redis.config('SET', 'maxmemory', '1'),
      () => test.redis.config('SET', 'maxmemory', '0'),
    ],
  ])(
    'keeps every copy that is not restored: the server became %s',
    { tags: ['long'] },
    async (_, reason, enter, leave) => {
      const { auditId, job, there } = await interruptedBy(enter, leave);
      expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining(reason) });
      expect(there).toBeGreaterThan(0);
      expect(there).toBeLessThan(COUNT);
      expect(job.result).toEqual({ kept: there, restored: there, rebuilt: 0, expired: 0, refused: 0 });
      expect((await findEntry(store(), auditId))?.undoneBy).toBeNull();
      const left = COUNT - there;
      expect(await undone(auditId)).toEqual({
        kept: left,
        restored: left,
        rebuilt: 0,
        expired: 0,
        refused: 0,
      });
      expect(await test.redis.dbsize()).toBe(COUNT);
      expect((await refusal(undo(auditId))).status).toBe(409);
    },
  );

  it('keeps the copy of a key that its user may not touch', async () => {
    await topics(5);
    const { auditId } = await invalidated({ family: 'discours.topic-id' });
    await test.redis.call('ACL', 'SETUSER', 'default', 'resetkeys', '~topic:id:0', '~topic:id:1');
    const { jobId } = await undo(auditId);
    const job = await over(jobId!);
    await test.redis.call('ACL', 'SETUSER', 'default', 'allkeys');
    expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('may not use') });
    const left = 5 - (await test.redis.dbsize());
    expect(left).toBeGreaterThanOrEqual(3);
    expect(await undone(auditId)).toMatchObject({ kept: left, restored: left });
    expect(await test.redis.dbsize()).toBe(5);
  });

  it('is not promised to a user who may not restore: nothing is deleted then', async () => {
    await topics(2);
    await test.redis.call('ACL', 'SETUSER', 'default', '-restore');
    const job = await invalidated({ family: 'discours.topic-id' });
    await test.redis.call('ACL', 'SETUSER', 'default', '+@all');
    expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('may not use RESTORE') });
    expect(await test.redis.dbsize()).toBe(2);
    expect((await findEntry(store(), job.auditId))?.undoUntil).toBeNull();
  });

  it('names the command that its user may not use', async () => {
    await topics(2);
    const { auditId } = await invalidated({ family: 'discours.topic-id' });
    await test.redis.call('ACL', 'SETUSER', 'default', '-restore');
    const { jobId } = await undo(auditId);
    const job = await over(jobId!);
    await test.redis.call('ACL', 'SETUSER', 'default', '+@all');
    expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('may not use RESTORE') });
    expect(await undone(auditId)).toMatchObject({ restored: 2 });
  });

  it('skips a value that the server refuses, and reports it', async () => {
    await topics(3);
    const { auditId } = await invalidated({ family: 'discours.topic-id' });
    const damaged = {
      key: Buffer.from('topic:id:1'),
      mark: 'again',
      expires: -1,
      value: Buffer.from('no dump'),
    };
    await replacePart(store(), auditId, 0, [
      ...(await readSnapshots(store(), auditId).next()).value!.entries.filter(
        ({ key }: SnapshotEntry) => !key.equals(damaged.key),
      ),
      damaged as SnapshotEntry,
    ]);
    const { jobId } = await undo(auditId);
    expect(await over(jobId!)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('refuses their values: 1'),
      result: { kept: 3, restored: 2, refused: 1 },
    });
    expect(await findEntry(store(), auditId)).toMatchObject({ undoneBy: null });
  });
});

describe('a key that is written meanwhile', () => {
  it('is deleted with its last value stored, or skipped, and never lost', async () => {
    const COUNT = 3000;
    await topics(COUNT);
    const { jobId, auditId } = await runCommand(invalidate, call({ family: 'discours.topic-id' }, 'admin'));
    let writing = true;
    const written = new Map<string, string>();
    const application = (async () => {
      for (let n = 0; writing; n++) {
        const key = `topic:id:${n % COUNT}`;
        const value = `written ${n}`;
        if (await test.redis.set(key, value, 'XX')) written.set(key, value);
      }
    })();
    const { result } = await over(jobId);
    writing = false;
    await application;
    const { matched, deleted, vanished, changed } = result as Record<string, number>;
    expect(matched).toBe(COUNT);
    expect(deleted! + vanished! + changed!).toBe(matched);
    expect(await test.redis.dbsize()).toBe(changed);
    const { restored, rebuilt } = await undone(auditId);
    expect([restored, rebuilt]).toEqual([deleted, 0]);
    for (const [key, value] of written) expect([key, await test.redis.get(key)]).toEqual([key, value]);
  });
});

describe('beyond what can be kept', () => {
  const limited = async (change: Partial<ReturnType<typeof env>['undo']>, work: () => Promise<void>) => {
    const { undo: limits } = env();
    const before = { ...limits };
    Object.assign(limits, change);
    try {
      await work();
    } finally {
      Object.assign(limits, before);
    }
  };

  it('deletes nothing unless withoutUndo is sent', () =>
    limited({ maxKeys: 10 }, async () => {
      await topics(11);
      const refused = await refusal(invalidated({ family: 'discours.topic-id' }));
      expect([refused.status, refused.code]).toEqual([409, 'no_undo']);
      expect(await test.redis.dbsize()).toBe(11);
      const { auditId, result } = await invalidated({ family: 'discours.topic-id', withoutUndo: true });
      expect(result).toMatchObject({ deleted: 11, undoUntil: null });
      expect((await findEntry(store(), auditId))?.undoUntil).toBeNull();
      expect((await refusal(undo(auditId))).status).toBe(409);
    }));

  it('a value too large is deleted and reported as not stored', async () => {
    await topics(20);
    await test.redis.setrange('topic:id:20', 9 * 1024 * 1024, 'x');
    const { auditId, result } = await invalidated({ family: 'discours.topic-id' });
    expect(result).toMatchObject({ matched: 21, deleted: 21, notKept: 1 });
    expect(await undone(auditId)).toMatchObject({ kept: 20, restored: 20 });
  });

  it('stops when the store is full, and deletes nothing that is not stored', { tags: ['long'] }, async () => {
    Object.assign(connections().get('main')!.config.scan, { pauseMs: 1 });
    await topics(3000);
    runner = startRunner(store());
    const { jobId, auditId } = await runCommand(invalidate, call({ family: 'discours.topic-id' }, 'admin'));
    await expect
      .poll(async () => (await record(jobId)).done, { timeout: 20_000, interval: 5 })
      .toBeGreaterThan(200);
    await test.storeRedis.config('SET', 'maxmemory', '1');
    const refused = async () =>
      /cmdstat_rpush:.*rejected_calls=[1-9]/.test(await test.storeRedis.info('commandstats'));
    await expect.poll(refused, { timeout: 5000 }).toBe(true);
    const left = await test.redis.dbsize();
    await test.storeRedis.config('SET', 'maxmemory', '0');
    // How far it came is known exactly, although it failed.
    expect(await over(jobId)).toMatchObject({ state: 'failed', result: { deleted: 3000 - left } });
    expect(await test.redis.dbsize()).toBe(left);
    expect(left).toBeLessThan(3000);
    expect(await undone(auditId)).toMatchObject({ restored: 3000 - left, rebuilt: expect.any(Number) });
    expect(await test.redis.dbsize()).toBe(3000);
  });
});

describe('an invalidation that was stopped half-way', () => {
  it('can be undone as far as it came', { tags: 'long', timeout: 60_000 }, async () => {
    await test.redis.eval(`for i = 1, 100000 do redis.call('SET', 'topic:id:' .. i, 'v' .. i) end`, 0);
    runner = startRunner(store());
    const { jobId, auditId } = await runCommand(invalidate, call({ family: 'discours.topic-id' }, 'admin'));
    await expect
      .poll(async () => (await record(jobId)).done, { timeout: 20_000, interval: 5 })
      .toBeGreaterThan(2000);
    await runCommand(cancelJob, {
      actor: users.admin,
      requestId: 'r',
      connection: null,
      raw: { jobId },
    });
    const { state, result } = await over(jobId);
    expect(state).toBe('cancelled');
    const { deleted } = result as { deleted: number };
    expect(await test.redis.dbsize()).toBe(100_000 - deleted);
    expect(await findEntry(store(), auditId)).toMatchObject({
      outcome: 'failed',
      undoUntil: expect.any(String),
    });
    expect(await undone(auditId)).toEqual({
      kept: deleted,
      restored: deleted,
      rebuilt: 0,
      expired: 0,
      refused: 0,
    });
    expect(await test.redis.dbsize()).toBe(100_000);
  });
});

describe('a TTL', () => {
  it('is added and shortened, spread over the jitter, and undone', { tags: ['long'] }, async () => {
    await topics(300);
    await test.redis.pexpire('topic:id:0', 50_000);
    await test.redis.expire('topic:id:1', 90_000);
    const raw = { family: 'discours.topic-id', ttlSeconds: 100, jitterSeconds: 100 };
    const ask = async (more: object) => {
      const { jobId, auditId } = await runCommand(setTtl, call({ ...raw, ...more }, 'product'));
      return { auditId, result: (await over(jobId)).result as Result };
    };
    expect((await ask({ dryRun: true })).result).toMatchObject({
      matched: 300,
      added: 298,
      shortened: 1,
      shorter: 1,
    });
    expect(await test.redis.pttl('topic:id:2')).toBe(-1);
    const { auditId, result } = await ask({});
    expect(result).toMatchObject({ matched: 300, added: 298, shortened: 1, shorter: 1, dryRun: false });
    const left = await Promise.all(
      Array.from({ length: 298 }, (_, i) => test.redis.pttl(`topic:id:${i + 2}`)),
    );
    expect(Math.min(...left)).toBeGreaterThan(95_000);
    expect(Math.max(...left)).toBeLessThanOrEqual(200_000);
    expect(new Set(left.map((ms) => Math.floor(ms / 10_000))).size).toBeGreaterThan(5);
    await test.redis.persist('topic:id:2');
    await test.redis.del('topic:id:3');
    expect(await undone(auditId)).toEqual({ kept: 299, restored: 297, rebuilt: 1, expired: 1, refused: 0 });
    expect(await test.redis.ttl('topic:id:1')).toBeGreaterThan(80_000);
    expect(await test.redis.pttl('topic:id:4')).toBe(-1);
  });

  it('writes no secret of the keys into the audit log', async () => {
    await test.redis.set('env_vars:A', '1');
    const raw = { pattern: 'env_vars:*', ttlSeconds: 5 };
    expect((await refusal(runCommand(setTtl, call(raw, 'product')))).status).toBe(403);
    const { items } = await listEntries(store());
    expect(items[0]).toMatchObject({ action: 'families.setTtl', outcome: 'failed' });
  });
});

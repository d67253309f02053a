import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { findEntry } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import { env } from '@/lib/configuration';
import type { Problem } from '@/lib/errors';
import { restorationJob } from '@/lib/families/restore-job';
import { shortenTtls } from '@/lib/families/shorten-ttl';
import { readHistoryEvents } from '@/lib/history/events';
import { cancelJob } from '@/lib/jobs/commands';
import { registerJob } from '@/lib/jobs/define';
import { closeQueue } from '@/lib/jobs/queue';
import { readRecord } from '@/lib/jobs/record';
import { type Runner, startRunner } from '@/lib/jobs/runner';
import { closeConnections, connections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { expiryOf } from '@/scripts/testing/this-redis';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import type { FixableRule, FixResult } from '../schema';
import { writeWaiver } from '../waivers';
import { fixCommand } from './commands';
import { FixCounts } from './fix-counts';
import { fixJob } from './job';

let test: TestContext;
let users: UserOfEachRole;
let runner: Runner | null = null;

beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  for (const job of [fixJob, restorationJob]) registerJob(job);
  registerUndoable([fixCommand]);
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
});
afterAll(() => test.close());

type Role = 'admin' | 'product' | 'viewer';

const record = async (jobId: string) => (await readRecord(store(), jobId))!;
const over = async (jobId: string) => {
  runner ??= startRunner(store());
  await expect.poll(async () => (await record(jobId)).finishedAt, { timeout: 20_000 }).not.toBeNull();
  await expect
    .poll(async () => (await findEntry(store(), (await record(jobId)).auditId))?.outcome)
    .not.toBe('pending');
  return record(jobId);
};

const start = (rule: FixableRule, more: object = {}, role: Role = 'admin') =>
  runCommand(fixCommand, {
    actor: users[role],
    requestId: 'r',
    connection: test.handle,
    raw: { rule, ...more },
  });

const fix = async (rule: FixableRule, more: object = {}, role: Role = 'admin') => {
  const { jobId, auditId } = await start(rule, more, role);
  const job = await over(jobId);
  expect(job.error).toBeNull();
  return { ...(job.result as unknown as FixResult), auditId };
};

const undo = async (auditId: string) => {
  const raw = { auditId };
  const { jobId } = await runCommand(undoChange, {
    actor: users.admin,
    requestId: 'r',
    connection: null,
    raw,
  });
  const job = await over(jobId!);
  expect(job.error).toBeNull();
  return job.result as Record<string, number>;
};

/** Everything the application has: values and expiries. */
const state = async () => {
  const keys = (await test.redis.keys('*')).sort();
  const each = keys.map(async (key) => [key, await test.redis.dump(key), await expiryOf(test.redis, key)]);
  return Promise.all(each);
};

/** A preview that changes nothing, then the fix with the same count, which leaves no violation. */
const previewThenFix = async (rule: FixableRule) => {
  const before = await state();
  const preview = await fix(rule, { dryRun: true });
  expect(await state()).toEqual(before);
  expect(preview).toMatchObject({ dryRun: true, remaining: null, undoUntil: null });
  const done = await fix(rule);
  const { fixed, matched, conflicts, skipped } = preview;
  expect(done).toMatchObject({ dryRun: false, fixed, matched, conflicts, skipped });
  expect(done.sample.length).toBeGreaterThan(0);
  expect(Date.parse(done.undoUntil!)).toBeGreaterThan(Date.now());
  return { before, done };
};

const many = (count: number, name: (i: number) => string, ...more: (string | number)[]) =>
  Promise.all(Array.from({ length: count }, (_, i) => test.redis.call('SET', name(i), '{}', ...more)));

describe('a TTL', () => {
  it('is added with jitter inside the band, and undo takes away what is still ours', async () => {
    await many(30, (i) => `cache:user:${i}`);
    await test.redis.set('cache:kept:1', 'x', 'EX', 7200);
    const { before, done } = await previewThenFix('ttl-required');
    expect(done).toMatchObject({ fixed: 30, skipped: 0, remaining: 0 });
    const ttls = await Promise.all(Array.from({ length: 30 }, (_, i) => test.redis.ttl(`cache:user:${i}`)));
    for (const ttl of ttls) {
      expect(ttl).toBeGreaterThan(3600);
      expect(ttl).toBeLessThanOrEqual(86_400);
    }
    expect(new Set(ttls).size).toBeGreaterThan(20);
    await test.redis.expire('cache:user:0', 500);
    expect(await undo(done.auditId)).toMatchObject({ restored: 29, rebuilt: 1 });
    expect(await test.redis.ttl('cache:user:0')).toBeGreaterThan(490);
    await test.redis.persist('cache:user:0');
    expect(await state()).toEqual(before);
  });

  it('stays when the application set one between the reading and the change', async () => {
    await test.redis.set('cache:user:1', 'x');
    const { ctx } = test;
    const [seen] = await shortenTtls(ctx, [{ key: Buffer.from('cache:user:1'), ttlMs: 5_000_000 }], true);
    await test.redis.expire('cache:user:1', 9000);
    const wanted = { key: seen!.key, ttlMs: 5_000_000, expires: seen!.before };
    expect(await shortenTtls(ctx, [wanted], false)).toMatchObject([{ state: 'changed' }]);
    expect(await test.redis.ttl('cache:user:1')).toBeGreaterThan(8990);
  });

  it('is shortened into the band, and never made longer', async () => {
    await test.redis.set('cache:long:1', 'x', 'EX', 1_000_000);
    await test.redis.set('lock:order:1', 'token', 'EX', 5);
    await test.redis.set('lock:order:2', 'token');
    expect(await fix('ttl-band')).toMatchObject({ fixed: 1, remaining: 0 });
    expect(await test.redis.ttl('cache:long:1')).toBeLessThanOrEqual(86_400);
    expect(await fix('lock-ttl')).toMatchObject({ matched: 1, fixed: 1, remaining: 0 });
    expect(await test.redis.ttl('lock:order:2')).toBeLessThanOrEqual(60);
    expect(await test.redis.ttl('lock:order:1')).toBeLessThanOrEqual(5);
  });

  it('is the documented one of a family, and never longer', async () => {
    await test.redis.set('shouts:limit=20:offset=0', '[]');
    await test.redis.call('HSET', 'oauth_state:Zq7pXv2mLr9tKw2', 'provider', 'google');
    const done = await fix('ttl-required');
    expect(done).toMatchObject({ matched: 2, fixed: 2, remaining: 0 });
    const ttlOf = (key: string) => test.redis.ttl(key);
    const [list, state] = [
      await ttlOf('shouts:limit=20:offset=0'),
      await ttlOf('oauth_state:Zq7pXv2mLr9tKw2'),
    ];
    expect(list).toBeGreaterThan(250);
    expect(list).toBeLessThanOrEqual(300);
    expect(state).toBeGreaterThan(500);
    expect(state).toBeLessThanOrEqual(600);
    // After the last of these TTLs nothing is left to undo.
    expect(Date.parse(done.undoUntil!)).toBeLessThanOrEqual(Date.now() + 600_000);
  });

  it('stays where undo cannot be stored, and is set without undo', async () => {
    await many(3, (i) => `cache:user:${i}`);
    const limits = env().undo;
    const { maxKeys } = limits;
    const failed = async (most: number) => {
      Object.assign(limits, { maxKeys: most });
      const job = await over((await start('ttl-required')).jobId);
      expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('withoutUndo') });
      return { ...(job.result as unknown as FixResult), auditId: job.auditId };
    };
    try {
      const none = await failed(2);
      expect(none).toMatchObject({ fixed: 0, undoUntil: null });
      expect(await readUndo(store(), none.auditId)).toBeNull();
      expect(await readHistoryEvents(store(), 'main', 0, Date.now())).toEqual([]);
      // One key a batch: those before the limit have a TTL, can be undone, and are marked on the charts.
      Object.assign(connections().get('main')!.config.scan, { chunk: 1 });
      const some = await failed(2);
      expect(some).toMatchObject({ fixed: 2, undoUntil: expect.any(String) });
      const [mark] = await readHistoryEvents(store(), 'main', 0, Date.now());
      expect(mark).toMatchObject({ text: expect.stringContaining('2 keys with another TTL') });
      expect(await undo(some.auditId)).toMatchObject({ restored: 2 });
      const ttls = await Promise.all([0, 1, 2].map((i) => test.redis.ttl(`cache:user:${i}`)));
      expect(ttls).toEqual([-1, -1, -1]);
      expect(await fix('ttl-required', { withoutUndo: true })).toMatchObject({ fixed: 3, undoUntil: null });
    } finally {
      Object.assign(limits, { maxKeys });
    }
  });

  it('of a null marker becomes short', async () => {
    await test.redis.set('cache:user:404', 'NULL', 'EX', 7200);
    await test.redis.set('cache:user:1', 'FULL', 'EX', 7200);
    expect(await fix('null-marker-ttl')).toMatchObject({ matched: 1, fixed: 1, remaining: 0 });
    expect(await test.redis.ttl('cache:user:404')).toBeLessThanOrEqual(300);
    expect(await test.redis.ttl('cache:user:1')).toBeGreaterThan(7000);
  });

  it('of keys that expire together is spread', { tags: 'long' }, async () => {
    const at = Math.floor(Date.now() / 1000) + 9000;
    await many(60, (i) => `cache:wave:${i}`, 'EXAT', at);
    expect(await fix('ttl-jitter')).toMatchObject({ matched: 60, fixed: 60, remaining: 0 });
    const times = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        expiryOf(test.redis, `cache:wave:${i}`).then((at) => Math.floor(at / 1000)),
      ),
    );
    expect(new Set(times).size).toBeGreaterThan(30);
    expect(Math.max(...times)).toBeLessThanOrEqual(at);
  });
});

describe('a name', () => {
  it('follows the convention afterwards, with value and TTL, and undo gives it back', {
    tags: ['long'],
  }, async () => {
    await test.redis.set('shop_profile_1', 'one', 'EX', 5000);
    await test.redis.hset('shop/cart/2', { a: 1, b: 2 });
    await test.redis.set('shop_profile_3', 'three');
    await test.redis.set('shop:profile:3', 'taken');
    await test.redis.set('shop_cart_2', 'another of this name');
    const { before, done } = await previewThenFix('name-format');
    expect(done).toMatchObject({ matched: 4, fixed: 2, conflicts: 2, remaining: 2 });
    expect(await test.redis.get('shop:profile:1')).toBe('one');
    expect(await test.redis.ttl('shop:profile:1')).toBeGreaterThan(4900);
    expect(await test.redis.get('shop:profile:3')).toBe('taken');
    expect(await test.redis.exists('shop_profile_1')).toBe(0);
    expect(await test.redis.exists('shop/cart/2', 'shop_cart_2', 'shop:cart:2')).toBe(2);
    expect(await undo(done.auditId)).toMatchObject({ restored: 2, rebuilt: 0 });
    expect(await state()).toEqual(before);
  });

  it('of a known family stays, because its application would not find the key', async () => {
    await test.redis.set('Shop:Item:1', 'x');
    await test.redis.sadd('BlacklistIPsSet', '192.0.2.1');
    expect(await fix('name-case')).toMatchObject({ fixed: 1, conflicts: 0 });
    expect(await test.redis.get('shop:item:1')).toBe('x');
    expect(await test.redis.exists('BlacklistIPsSet', 'online_users_set')).toBe(1);
    const taken = await fix('name-empty-part', { dryRun: true });
    expect(taken.matched).toBe(0);
  });
});

it('removes abandoned keys, whose names stay secret, and undo restores them', async () => {
  await test.redis.hset('oauth_state:Zq7pXv2mLr9tKw2', { provider: 'google' });
  await test.redis.hset('oauth_state:Zq7pXv2mLr9tKw3', { provider: 'google' });
  await test.redis.call('HSET', 'oauth_state:Zq7pXv2mLr9tKw4', 'provider', 'google');
  await test.redis.expire('oauth_state:Zq7pXv2mLr9tKw4', 600);
  const { before, done } = await previewThenFix('abandoned-keys');
  expect(done).toMatchObject({ matched: 2, fixed: 2, remaining: 0 });
  expect(JSON.stringify(done)).not.toContain('Zq7pXv2mLr9tKw2');
  expect(await test.redis.exists('oauth_state:Zq7pXv2mLr9tKw2', 'oauth_state:Zq7pXv2mLr9tKw3')).toBe(0);
  expect(await undo(done.auditId)).toMatchObject({ restored: 2 });
  expect(await state()).toEqual(before);
});

it('trims long collections to the newest, and undo restores those that did not change since', {
  tags: ['long'],
}, async () => {
  const numbers = Array.from({ length: 10_050 }, (_, i) => String(i));
  await test.redis.rpush('recent:user:1', ...numbers);
  await test.redis.rpush('recent:user:2', ...numbers);
  await test.redis.expire('recent:user:1', 1000);
  await test.redis.call('ZADD', 'leaderboard:daily', ...numbers.flatMap((n) => [n, `m${n}`]));
  await test.redis.sadd('recent:set:1', ...numbers);
  const { done } = await previewThenFix('collection-length');
  expect(done).toMatchObject({ matched: 4, fixed: 3, skipped: 1, remaining: 1 });
  expect(done.skippedBecause).toEqual([{ reason: expect.stringContaining('application'), keys: 1 }]);
  expect(await test.redis.llen('recent:user:1')).toBe(10_000);
  expect(await test.redis.lindex('recent:user:1', 0)).toBe('0');
  expect(await test.redis.zrange('leaderboard:daily', 0, '0')).toEqual(['m50']);
  await test.redis.lpush('recent:user:2', 'newer');
  expect(await undo(done.auditId)).toMatchObject({ restored: 2, rebuilt: 1 });
  expect(await test.redis.lrange('recent:user:1', 0, -1)).toEqual(numbers);
  expect(await test.redis.ttl('recent:user:1')).toBeGreaterThan(900);
  expect(await test.redis.zcard('leaderboard:daily')).toBe(10_050);
  expect(await test.redis.llen('recent:user:2')).toBe(10_001);
});

it('leaves unknown keys to those who may change sensitive ones, and says so', async () => {
  await many(3, (i) => `cache:user:${i}`);
  const done = await fix('ttl-required', {}, 'product');
  expect(done).toMatchObject({ matched: 3, fixed: 0, skipped: 3, remaining: 3, undoUntil: null });
  expect(done.skippedBecause[0]!.reason).toContain('caches:invalidate-sensitive');
  expect(await test.redis.ttl('cache:user:0')).toBe(-1);
  const refused = await start('ttl-required', {}, 'viewer').catch((error: unknown) => error as Problem);
  expect(refused).toMatchObject({ code: 'forbidden' });
  const unknown = await start('ttl-required', { family: 'discours.none' }).catch((error: unknown) => error);
  expect(unknown).toMatchObject({ status: 400 });
});

it('leaves what is waived, other families, and the console’s own keys', async () => {
  await many(3, (i) => `cache:user:${i}`);
  await test.redis.set('oauth_state:Zq7pXv2mLr9tKw2', 'x');
  await test.redis.set('keyward:left:1', 'x');
  const family = test.ctx.catalog.families.find(({ role }) => role === 'sign-in-state')!.id;
  expect(await fix('ttl-required', { family, dryRun: true })).toMatchObject({ matched: 1 });
  const until = Date.now() + 60_000;
  await writeWaiver(store(), 'main', 'w', { rule: 'ttl-required', family: null, who: 'me', why: 'x', until });
  const done = await fix('ttl-required');
  expect(done).toMatchObject({ matched: 4, fixed: 0, skipped: 4, remaining: 0 });
  expect(done.skippedBecause).toEqual([{ reason: 'It is waived', keys: 4 }]);
  expect(await test.redis.ttl('keyward:left:1')).toBe(-1);
});

it('counts conflicts once when the walk begins again', () => {
  const counts = new FixCounts('ttl-required', false);
  Object.assign(counts, { fixed: 3, vanished: 1, conflicts: 2 });
  counts.skip('It is waived', 4);
  counts.restarted();
  expect(counts).toMatchObject({ fixed: 3, vanished: 1, conflicts: 0, skipped: 0 });
});

it('needs a confirmation in production, but none for a preview', async () => {
  const { config } = test.handle;
  Object.assign(config, { environment: 'production' });
  try {
    const refused = await start('ttl-required').catch((error: unknown) => error as Problem);
    expect(refused).toMatchObject({ code: 'confirmation_required' });
    expect(await start('ttl-required', { dryRun: true })).toMatchObject({ jobId: expect.any(String) });
  } finally {
    Object.assign(config, { environment: 'development' });
  }
});

it('ends with true counts when it is cancelled', { tags: ['long'] }, async () => {
  await many(2000, (i) => `cache:user:${i}`);
  const { config, background } = connections().get('main')!;
  Object.assign(config.scan, { chunk: 100 });
  const { jobId } = await start('ttl-required');
  // After its first batch the job waits until its cancel was requested.
  let open = () => {};
  const isCancelled = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { readMany } = background;
  vi.spyOn(background, 'readMany').mockImplementation(async (commands) => {
    if ((await record(jobId)).done > 0) await isCancelled;
    return readMany(commands);
  });
  runner = startRunner(store());
  await expect.poll(async () => (await record(jobId)).done, { timeout: 10_000 }).toBeGreaterThan(0);
  const raw = { jobId };
  await runCommand(cancelJob, { actor: users.admin, requestId: 'r', connection: null, raw });
  open();
  const job = await over(jobId);
  const result = job.result as unknown as FixResult;
  const keys = await test.redis.keys('cache:user:*');
  const ttls = await Promise.all(keys.map((key) => test.redis.ttl(key)));
  expect(job.state).toBe('cancelled');
  expect(result.fixed).toBeLessThan(2000);
  expect(ttls.filter((ttl) => ttl > 0)).toHaveLength(result.fixed);
  expect(result.remaining).toBeNull();
});

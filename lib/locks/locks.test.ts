import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { openConnection } from '@/lib/redis/connections';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { expiryOf, IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { WITHOUT_SCRIPTS } from '@/scripts/testing/without-scripts';
import { releaseLock } from './commands';
import { listLocks } from './reads';
import { lockContracts } from './schema';
import { sharedLocks } from './shared-locks';

const TOKEN = 'b7f1d8a2-5c0e-4c1b-9f3e-worker';
const NAME = 'lock:publish:12';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  forget('locks first seen');
  await test.empty();
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => test.close());

/** This process's clock is so many ms ahead of the server's. */
const aheadBy = (ms: number) => {
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
};

/** Bytes that the server has sent so far. */
const sentBytes = async () =>
  Number(/total_net_output_bytes:(\d+)/.exec(await test.redis.info('stats'))?.[1]);

/** As it is stored now: tests do not wait for the next pass. */
const list = async (raw: object = {}, ctx = test.ctx) => {
  forget('role keys');
  sharedLocks.outdate(ctx.connection);
  const { input, result } = lockContracts.list;
  return result.parse(await listLocks(ctx, input.parse(raw)));
};
const lockOf = async (key = NAME) => {
  const found = (await list()).items.find((item) => item.key === key);
  return found ?? expect.fail(`${key} is not listed`);
};

type Role = Parameters<typeof testActor>[0];
const release = (raw: object, role: Role = 'admin', connection = test.handle) =>
  runCommand(releaseLock, { actor: testActor(role), requestId: 'request', connection, raw });
const inputOf = ({ keyId, etag }: { keyId: string; etag: string | null }) => ({ keyId, etag: etag ?? '' });
/** As `release`, with something that happens between the last read and the deletion. */
const releaseAfter = ({ keyId, etag }: { keyId: string; etag: string }, between: () => Promise<unknown>) => {
  const { writer } = test.ctx;
  const run: typeof writer.run = async (...args) => {
    await between();
    return writer.run(...args);
  };
  return releaseLock.run({ ...test.ctx, writer: { ...writer, run } }, { keyId, etag });
};
const lastEntry = async () => (await listEntries(test.ctx.store, { limit: 1 })).items[0]!;

describe('locks are listed', () => {
  it('with operation, entity, masked owner, age by the declared TTL and what is left', async () => {
    await test.redis.set(NAME, TOKEN, 'EX', 20);
    const found = await list();
    expect(found).toMatchObject({ total: 1, withProblems: 0, isComplete: true, operations: ['publish'] });
    const [lock] = found.items;
    expect(lock).toMatchObject({
      key: NAME,
      operation: 'publish',
      entityId: '12',
      type: 'string',
      owner: 'b7f1•••',
      ttlSeconds: 20,
      maxTtlSeconds: 30,
      ageSeconds: 10,
      ageIsAtLeast: false,
      problems: [],
      family: 'discours.lock',
      app: 'discours',
    });
    expect(Buffer.from(lock!.keyId, 'base64url').toString()).toBe(NAME);
    expect(JSON.stringify(found)).not.toContain(TOKEN.slice(4));
  });

  it('of any application by the common prefix, whose band leaves the age open', async () => {
    const ctx = { ...test.ctx, catalog: catalogFor(['qianxun']) };
    await test.redis.set('lock:task:processing:456', TOKEN, 'EX', 60);
    await test.redis.set('lock:other', TOKEN, 'EX', 4);
    const { items } = await list({}, ctx);
    expect(
      items.map(({ key, operation, entityId, maxTtlSeconds }) => [key, operation, entityId, maxTtlSeconds]),
    ).toEqual([
      ['lock:other', 'other', null, 60],
      ['lock:task:processing:456', 'task:processing:456', null, 60],
    ]);
    expect(items.map(({ ageSeconds, ageIsAtLeast }) => [ageSeconds, ageIsAtLeast])).toEqual([
      [6, true],
      [null, false],
    ]);
    // The same owner of two locks.
    expect(new Set(items.map(({ ownerDigest }) => ownerDigest)).size).toBe(1);
  });

  it('with their problems first, each counted', async () => {
    await test.redis.set('lock:a:1', TOKEN, 'EX', 25);
    await test.redis.set('lock:b:1', TOKEN);
    await test.redis.set('lock:c:1', TOKEN, 'EX', 3600);
    await test.redis.set('lock:d:1', '1', 'EX', 20);
    await test.redis.set('lock:e:1', '', 'EX', 20);
    await test.redis.sadd('lock:f:1', 'x');
    await test.redis.expire('lock:f:1', 20);
    const found = await list();
    const problems = Object.fromEntries(found.items.map((item) => [item.key, item.problems]));
    expect(problems).toEqual({
      'lock:a:1': [],
      'lock:b:1': ['noTtl'],
      'lock:c:1': ['longerThanBand'],
      'lock:d:1': ['noOwner'],
      'lock:e:1': ['empty'],
      'lock:f:1': ['wrongType'],
    });
    expect(found.items.at(-1)!.key).toBe('lock:a:1');
    expect(found).toMatchObject({ total: 6, withProblems: 5 });
    expect(found.problems).toEqual({
      noTtl: 1,
      longerThanBand: 1,
      noOwner: 1,
      empty: 1,
      wrongType: 1,
      tooLarge: 0,
      unreadable: 0,
    });
    expect((await list({ problem: 'noTtl' })).items.map(({ key }) => key)).toEqual(['lock:b:1']);
    expect((await list({ problem: 'any' })).items).toHaveLength(5);
    expect((await list({ operation: 'c' })).items.map(({ key }) => key)).toEqual(['lock:c:1']);
    expect((await list({ q: 'LOCK:D' })).items.map(({ key }) => key)).toEqual(['lock:d:1']);
    expect(found.items.find(({ key }) => key === 'lock:b:1')).toMatchObject({ ttlSeconds: null });
  });

  it('page by page, the oldest first', { tags: ['long'] }, async () => {
    for (let i = 0; i < 25; i++) await test.redis.set(`lock:job:${i}`, `${TOKEN}${i}`, 'EX', 3 + i);
    const pages = await allPages(list, 10);
    const names = pages.map(({ key }) => key);
    expect(names).toEqual(Array.from({ length: 25 }, (_, i) => `lock:job:${i}`));
  });

  it('with a hash’s owner: its field, or as Redisson writes it', async () => {
    await test.redis.hset('lock:import:1', { owner: 'worker-77-of-9', at: '1700000000' });
    await test.redis.hset('lock:import:2', { 'd2c7:41': '2' });
    await test.redis.hset('lock:import:3', { note: 'no owner here' });
    const { items } = await list();
    expect(items.map(({ key, owner, type, problems }) => [key, owner, type, problems]).sort()).toEqual([
      ['lock:import:1', 'wor•••', 'hash', ['noTtl']],
      ['lock:import:2', 'd•••', 'hash', ['noTtl']],
      ['lock:import:3', null, 'hash', ['noTtl', 'noOwner']],
    ]);
  });

  it('whatever they contain: bytes, scripts, 5 MB', async () => {
    const binary = Buffer.concat([Buffer.from('lock:bin:'), Buffer.from([0xff, 0x0a, 0x00])]);
    await test.redis.set(binary, Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05]), 'EX', 20);
    await test.redis.set('lock:x:<script>alert(1)</script>', '<img src=x onerror=alert(1)>', 'EX', 20);
    await test.redis.set('lock:big:1', 'y'.repeat(5_000_000), 'EX', 20);
    await test.redis.set('lock:long:1', 'z'.repeat(10_000), 'EX', 20);
    const before = await sentBytes();
    const { items } = await list();
    expect((await sentBytes()) - before).toBeLessThan(50_000);
    const rows = Object.fromEntries(items.map((item) => [item.key, item]));
    expect(Object.keys(rows).sort()).toEqual(
      ['lock:big:1', 'lock:bin:\\xff\\x0a\\x00', 'lock:long:1', 'lock:x:<script>alert(1)</script>'].sort(),
    );
    expect(rows['lock:big:1']).toMatchObject({ owner: 'yyyy•••', etag: null, problems: ['tooLarge'] });
    expect(rows['lock:bin:\\xff\\x0a\\x00']).toMatchObject({
      owner: '\\xff\\xfe•••',
      problems: [],
      operation: null,
      entityId: null,
    });
    expect(await release(inputOf(rows['lock:bin:\\xff\\x0a\\x00']!))).toMatchObject({ released: true });
    expect(await test.redis.exists(binary)).toBe(0);
    expect(rows['lock:long:1']).toMatchObject({ owner: 'zzzz•••', problems: [], etag: expect.any(String) });
    expect(JSON.stringify(items).length).toBeLessThan(4000);
  });

  it('from when an owner was first seen, until another has the lock', { tags: 'long' }, async () => {
    await test.redis.set(NAME, TOKEN);
    expect(await lockOf()).toMatchObject({ ageSeconds: null, ageIsAtLeast: false });
    await expect.poll(async () => (await lockOf()).ageSeconds, { timeout: 5000 }).toBe(1);
    expect(await lockOf()).toMatchObject({ ageIsAtLeast: true });
    await test.redis.set(NAME, `${TOKEN}-2`);
    expect(await lockOf()).toMatchObject({ ageSeconds: null });
  });

  it('from when it was last used, where Keyward sees it for the first time', async () => {
    const restoreIdle = async (key: string, value: string) => {
      await test.redis.set('copy', value);
      await test.redis.restore(key, 0, (await test.redis.dumpBuffer('copy'))!, 'IDLETIME', 3600);
    };
    await restoreIdle(NAME, TOKEN);
    await restoreIdle('lock:flag:1', '1');
    const [{ items }, again] = [await list(), await list()];
    const stuck = items.find(({ key }) => key === NAME)!;
    // Small integers share one object, whose idle time says nothing.
    expect(items.find(({ key }) => key === 'lock:flag:1')).toMatchObject({ ageSeconds: null });
    expect(stuck.ageIsAtLeast).toBe(true);
    expect(stuck.ageSeconds).toBeGreaterThanOrEqual(3599);
    expect(stuck.ageSeconds).toBeLessThan(3610);
    expect(again.items.find(({ key }) => key === NAME)!.ageSeconds).toBeGreaterThanOrEqual(3599);
    // Another owner has it since then.
    await test.redis.set(NAME, `${TOKEN}-2`);
    expect((await lockOf()).ageSeconds ?? 0).toBeLessThan(60);
  });

  it('not for longer than Keyward has seen the key without it, whatever the TTL says', async () => {
    expect((await list()).total).toBe(0);
    const ctx = { ...test.ctx, now: () => Date.now() + 1000 };
    await test.redis.set(NAME, TOKEN, 'EX', 10);
    const lockNow = async () => (await list({}, ctx)).items[0]!;
    const first = await lockNow();
    expect(first.ageSeconds).toBeLessThan(10);
    expect(first.ageIsAtLeast).toBe(true);
    // Of another owner, and a TTL that is as declared.
    await test.redis.set(NAME, `${TOKEN}-2`, 'EX', 5);
    expect((await lockNow()).ageSeconds).toBeLessThan(10);
    await test.redis.set(NAME, `${TOKEN}-3`, 'EX', 30);
    expect(await lockNow()).toMatchObject({ ageSeconds: 1, ageIsAtLeast: false });
  });

  it('by reads in the background: a few at a time, and on the client of scans', async () => {
    for (let i = 0; i < 60; i++) await test.redis.hset(`lock:job:${i}`, { owner: `${TOKEN}${i}` });
    await test.redis.mset({ 'lock:flag:1': '1', [NAME]: TOKEN });
    const [node] = test.handle.topology.primaries();
    const client = vi.spyOn(node!, 'client');
    const pause = vi.spyOn(test.handle.budget, 'pauseBetween');
    forget('role keys');
    sharedLocks.outdate(test.handle);
    const { found } = await sharedLocks.current(test.handle, test.ctx.catalog);
    expect(found).toHaveLength(62);
    expect(new Set(client.mock.calls.map(([purpose]) => purpose))).toEqual(new Set(['scan']));
    expect(pause.mock.calls.filter(([kind]) => kind === 'fixed')).toHaveLength(6);
  });

  it('read again at once when another process released one', async () => {
    await test.redis.set(NAME, TOKEN);
    expect((await list()).items).toHaveLength(1);
    // As long as a large keyspace takes: until then readers share what was read.
    const shared = vi.spyOn(sharedLocks, 'outdate');
    const { input } = lockContracts.list;
    await test.storeRedis.set('keyward:changed:locks:main', 'another');
    await listLocks(test.ctx, input.parse({}));
    await listLocks(test.ctx, input.parse({}));
    expect(shared).toHaveBeenCalledTimes(1);
  });

  it('not after they expired, and none without a lock', async () => {
    await test.redis.set(NAME, TOKEN, 'PX', 1);
    await expect.poll(async () => (await list()).items).toEqual([]);
    expect(await list()).toMatchObject({ total: 0, withProblems: 0, operations: [], nextCursor: null });
  });
});

describe('a lock is released', () => {
  it('if it has the owner that was shown; the audit log has no token', async () => {
    await test.redis.set(NAME, TOKEN, 'EX', 20);
    await test.redis.set('lock:publish:13', TOKEN, 'EX', 20);
    const lock = await lockOf();
    const answer = await release({ ...inputOf(lock), reason: 'The worker died' });
    expect(answer).toMatchObject({ released: true, takenAgain: false });
    expect(await test.redis.exists(NAME, 'lock:publish:13')).toBe(1);
    // No pass from before is shown.
    const { input } = lockContracts.list;
    expect((await listLocks(test.ctx, input.parse({}))).items.map(({ key }) => key)).toEqual([
      'lock:publish:13',
    ]);
    const entry = await lastEntry();
    expect(entry).toMatchObject({
      action: 'locks.release',
      target: NAME,
      outcome: 'succeeded',
      reason: 'The worker died',
      before: { operation: 'publish', entityId: '12', owner: 'b7f1•••', ttlSeconds: 20 },
      undoUntil: null,
    });
    expect(JSON.stringify(entry)).not.toContain(TOKEN.slice(4));
  });

  it('never if another has it by now: 412 with the present etag', async () => {
    await test.redis.set(NAME, TOKEN, 'EX', 20);
    const lock = await lockOf();
    await test.redis.set(NAME, 'another-owner-of-it', 'EX', 30);
    const problem = await problemOf(release(inputOf(lock)));
    expect([problem.status, problem.code, problem.message]).toEqual([
      412,
      'changed',
      expect.stringContaining('changed hands'),
    ]);
    expect(await test.redis.get(NAME)).toBe('another-owner-of-it');
    expect(problem.extensions.etag).toBe((await lockOf()).etag);
    expect(await lastEntry()).toMatchObject({ action: 'locks.release', outcome: 'failed' });
  });

  it('with a clear word if it is gone', async () => {
    await test.redis.set(NAME, TOKEN, 'EX', 20);
    const lock = await lockOf();
    await test.redis.del(NAME);
    const problem = await problemOf(release(inputOf(lock)));
    expect([problem.status, problem.message]).toEqual([404, expect.stringContaining('Nothing was changed')]);
  });

  it('never of another holder that writes the same flag: the expiry tells them apart', async () => {
    await test.redis.set(NAME, '1', 'EX', 20);
    const lock = await lockOf();
    await test.redis.set(NAME, '1', 'EX', 28);
    const problem = await problemOf(release(inputOf(lock)));
    expect(problem.status).toBe(412);
    expect(await test.redis.get(NAME)).toBe('1');
    const { etag } = problem.extensions;
    expect(await release({ keyId: lock.keyId, etag })).toMatchObject({ released: true });
    await test.redis.set(NAME, '1');
    const lasting = inputOf(await lockOf());
    await test.redis.set(NAME, '1', 'EX', 28);
    expect((await problemOf(release(lasting))).status).toBe(412);
    await test.redis.set(NAME, '1');
    expect(await release(lasting)).toMatchObject({ released: true });
  });

  it.skipIf(IS_REDIS_6)(
    'never of one with the same flag, however near its expiry is, nor by an etag without it',
    async () => {
      await test.redis.set(NAME, '1', 'PX', 20_000);
      const lock = inputOf(await lockOf());
      const expiresAt = await expiryOf(test.redis, NAME);
      await test.redis.pexpireat(NAME, expiresAt + 1);
      expect((await problemOf(release(lock))).status).toBe(412);
      const [content] = lock.etag.split('.') as [string];
      for (const etag of [
        content,
        `${content}.`,
        `${content}.x`,
        `${content}.~x`,
        `${content}.${expiresAt}.x`,
      ])
        expect((await problemOf(release({ ...lock, etag }))).status).toBe(412);
      await test.redis.set(NAME, TOKEN, 'EX', 20);
      const owned = inputOf(await lockOf());
      expect((await problemOf(release({ ...owned, etag: `${owned.etag}.${expiresAt}` }))).status).toBe(412);
      expect(await test.redis.get(NAME)).toBe(TOKEN);
    },
  );

  it('with a flag, whatever our clock says', async () => {
    aheadBy(5000);
    await test.redis.set(NAME, '1', 'EX', 20);
    expect(await release(inputOf(await lockOf()))).toMatchObject({ released: true });
  });

  it('never if it changes at the last moment', async () => {
    const refused = async (change: () => Promise<unknown>) => {
      const problem = await problemOf(releaseAfter(inputOf(await lockOf()), change));
      return [problem.status, await test.redis.exists(NAME)];
    };
    await test.redis.set(NAME, TOKEN, 'EX', 20);
    expect(await refused(() => test.redis.set(NAME, 'another-owner', 'EX', 20))).toEqual([412, 1]);
    expect(await refused(() => test.redis.del(NAME))).toEqual([404, 0]);
    await test.redis.hset(NAME, { 'd2c7-aa-bb:41': '1' });
    expect(await refused(() => test.redis.hset(NAME, { 'd2c7-aa-bb:41': '2' }))).toEqual([412, 1]);
    expect(await refused(() => test.redis.set(NAME, '1', 'EX', 20))).toEqual([412, 1]);
    expect(await refused(() => test.redis.set(NAME, '1', 'EX', 21))).toEqual([412, 1]);
    expect(await refused(() => test.redis.persist(NAME))).toEqual([412, 1]);
    expect(await releaseAfter(inputOf(await lockOf()), async () => undefined)).toMatchObject({
      result: { released: true },
    });
  });

  it('if its owner extended it, whatever its type and size', async () => {
    await test.redis.set(NAME, TOKEN, 'EX', 10);
    const lock = await lockOf();
    await test.redis.expire(NAME, 30);
    expect(await release(inputOf(lock))).toMatchObject({ released: true });

    await test.redis.hset(NAME, { 'd2c7-aa-bb:41': '1' });
    const hash = await lockOf();
    await test.redis.hset(NAME, { 'd2c7-aa-bb:42': '1' });
    expect((await problemOf(release(inputOf(hash)))).status).toBe(412);
    await test.redis.hdel(NAME, 'd2c7-aa-bb:42');
    expect(await release(inputOf(hash))).toMatchObject({ released: true });

    const bytes = Buffer.alloc(9000, 0xfe);
    await test.redis.set(NAME, bytes, 'EX', 20);
    const long = await lockOf();
    await test.redis.setrange(NAME, 8999, 'x');
    expect((await problemOf(release(inputOf(long)))).status).toBe(412);
    await test.redis.set(NAME, bytes, 'EX', 20);
    expect(await release(inputOf(long))).toMatchObject({ released: true });
    expect(await test.redis.exists(NAME)).toBe(0);

    await test.redis.sadd(NAME, 'member');
    expect(await release(inputOf(await lockOf()))).toMatchObject({ released: true });
  });

  it('not if its value is too large to be compared', async () => {
    await test.redis.set(NAME, 'y'.repeat(5_000_000));
    const { keyId } = await lockOf();
    const problem = await problemOf(release({ keyId, etag: 'x' }));
    expect([problem.status, problem.message]).toEqual([409, expect.stringContaining('too large')]);
    expect(await test.redis.strlen(NAME)).toBe(5_000_000);
    await test.redis.del(NAME);
    await test.redis.sadd(NAME, ...Array.from({ length: 1001 }, (_, i) => i));
    expect(await lockOf()).toMatchObject({ etag: null, problems: ['noTtl', 'wrongType', 'tooLarge'] });
  });

  it('by nobody without permission, not read-only, and in production only with confirmation', async () => {
    await test.redis.set(NAME, TOKEN, 'EX', 20);
    const lock = inputOf(await lockOf());
    for (const role of ['support', 'product', 'viewer'] as const)
      expect((await problemOf(release(lock, role))).status).toBe(403);
    const { config } = test.handle;
    const readOnly = openConnection({ ...config, readOnly: true });
    const production = openConnection({ ...config, environment: 'production' });
    try {
      expect((await problemOf(release(lock, 'admin', readOnly))).status).toBe(423);
      const asked = await problemOf(release(lock, 'admin', production));
      expect([asked.status, asked.code]).toEqual([400, 'confirmation_required']);
      expect(await test.redis.exists(NAME)).toBe(1);
      expect(await release({ ...lock, confirm: config.id }, 'admin', production)).toMatchObject({
        released: true,
      });
    } finally {
      readOnly.topology.close();
      production.topology.close();
    }
  });

  it('only if it is one', async () => {
    await test.redis.set('author:id:1', '{}');
    await test.redis.set('lockless', 'x');
    for (const key of ['author:id:1', 'lockless', 'keyward:audit']) {
      const problem = await problemOf(release({ keyId: Buffer.from(key).toString('base64url'), etag: 'x' }));
      expect(problem.status).toBe(400);
    }
    expect(await test.redis.exists('author:id:1', 'lockless')).toBe(2);
    for (const raw of [
      {},
      { keyId: NAME },
      { keyId: '%%', etag: 'x' },
      { keyId: 'x', etag: 'x', owner: TOKEN },
    ])
      expect((await problemOf(release(raw))).status).toBe(400);
  });
});

describe('without everything', () => {
  it('reads of locks that our user may not read, the others', async () => {
    await test.redis.call('ACL', 'SETUSER', 'limited', 'on', '>secret', '~lock:open:*', '+@all');
    await test.redis.set('lock:open:1', TOKEN, 'EX', 20);
    await test.redis.set('lock:closed:1', TOKEN, 'EX', 20);
    const url = new URL(test.handle.config.url!);
    Object.assign(url, { username: 'limited', password: 'secret' });
    const limited = openConnection({ ...test.handle.config, url: url.href });
    try {
      const { items } = await list({}, { ...test.ctx, connection: limited, reader: limited.reader });
      expect(items.map(({ key, problems, etag }) => [key, problems, etag !== null])).toEqual([
        ['lock:closed:1', ['unreadable'], false],
        ['lock:open:1', [], true],
      ]);
      const problem = await problemOf(release({ keyId: items[0]!.keyId, etag: 'x' }, 'admin', limited));
      expect([problem.status, problem.message]).toEqual([409, expect.stringContaining('may not read')]);
    } finally {
      limited.topology.close();
      await test.redis.call('ACL', 'DELUSER', 'limited');
    }
  });
});

it.each(['253402300800000', '9007199254740993', '9223372036854775807'])(
  'a lock with a flag that expires at %s is listed and released',
  async (at) => {
    await test.redis.set(NAME, '1');
    await test.redis.call('PEXPIREAT', NAME, at);
    const { items } = await list();
    expect(await release(inputOf(items[0]!))).toMatchObject({ released: true });
  },
);

describe('before Redis 7', () => {
  let old: TestContext;
  beforeAll(async () => {
    const redisArgs = IS_REDIS_6 ? [] : [...WITHOUT_SCRIPTS, '--rename-command', 'PEXPIRETIME', ''];
    old = await testContext({ apps: ['discours'], redisArgs });
  });
  afterAll(() => old.close());

  it('a lock with a flag is released if its expiry is about the same, whatever our clock says', async () => {
    aheadBy(5000);
    await old.redis.set(NAME, '1', 'EX', 20);
    const [lock] = (await list({}, old.ctx)).items;
    // It stays the same while nothing changes.
    expect((await list({}, old.ctx)).items[0]!.etag).toBe(lock!.etag);
    await old.redis.set(NAME, '1', 'EX', 28);
    expect((await problemOf(release(inputOf(lock!), 'admin', old.handle))).status).toBe(412);
    await old.redis.set(NAME, '1');
    expect((await problemOf(release(inputOf(lock!), 'admin', old.handle))).status).toBe(412);
    const lasting = inputOf((await list({}, old.ctx)).items[0]!);
    await old.redis.expire(NAME, 28);
    expect((await problemOf(release(lasting, 'admin', old.handle))).status).toBe(412);
    const expiring = inputOf((await list({}, old.ctx)).items[0]!);
    expect(await release(expiring, 'admin', old.handle)).toMatchObject({ released: true });
  });
});

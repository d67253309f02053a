import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScanBudget } from '@/lib/redis/budget';
import { touchesKeys } from '@/lib/redis/no-touch';
import { store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { OtherUsers, Rows, walkFor } from '@/scripts/testing/walking';
import { factsByScript } from './by-script';
import { readWalks, writeCost, writeRunning } from './costs';
import { Refusals } from './facts';
import { takePartAlways, walkIfDue } from './shared-walk';

const PAGE = 50;
const IDLE = 1000;

let test: TestContext;
let users: OtherUsers;
beforeAll(async () => {
  test = await testContext({ scan: { chunk: 100, pauseMs: 1, maxAddedLatencyMs: 1000 } });
  users = new OtherUsers(test);
});
beforeEach(() => test.empty());
afterAll(() => {
  users.close();
  return test.close();
});

const scanClient = async () => {
  const client = test.handle.topology.primaries()[0]!.client('scan');
  await client.ready();
  return client.redis;
};

/** Redis 7.2 and Valkey 7.2 have neither os.clock in scripts, nor does TIME move during one. */
const hasClock = async (): Promise<boolean> => {
  const moves = `local a = redis.call('TIME') for i = 1, 1e6 do end return redis.call('TIME')[2] ~= a[2]`;
  const clock = await test.redis.eval('return os.clock() and 1', 0).catch(() => null);
  return (clock ?? (await test.redis.eval(moves, 0))) === 1;
};

describe('a call of a walk', () => {
  it.skipIf(IS_REDIS_6)('is a small one until its cost is known, where the server has no clock', async () => {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 1000; i++) pipeline.set(`k:${i}`, 'x');
    await pipeline.exec();
    // Redis 7.2 has neither os.clock in scripts, nor does TIME move during one.
    const handle = await users.with('-time');
    // So that no calls are gathered.
    handle.budget = new ScanBudget({ ...handle.budget.limits, chunk: 10 });
    const { rows, chunks, cost } = await walkFor(handle, {});
    expect(rows.size).toBe(1000);
    expect(cost).toMatchObject({ byScript: true, reason: null });
    expect(cost.serverMs).toBeGreaterThan(0);
    const hasClock = await test.redis.eval('return os.clock() and 1', 0).catch(() => null);
    if (hasClock) return;
    expect(chunks[0]).toBeLessThan(2 * PAGE);
    // A call of SCAN may return some more than its COUNT.
    expect(chunks[1]).toBeLessThan(3 * PAGE);
  });

  it.skipIf(IS_REDIS_6)(
    'never measures all elements of a large collection together with other keys',
    async () => {
      const script = `for i = 1, 30 do for j = 1, 1000 do redis.call('HSET', 'hash:' .. i, 'field' .. j, j) end end
      for i = 1, 60000 do redis.call('SADD', 'set', i) end`;
      await test.redis.eval(script, 0);
      await test.redis.hset('small', Object.fromEntries(Array.from({ length: 150 }, (_, i) => [i, i])));
      const asked = { memory: 'exact', lengths: '', encodings: '', idle: '' } as const;
      const step = factsByScript(
        () => asked,
        new Refusals(),
        () => 100_000,
      );
      const value = (
        await step(await scanClient(), '0', 1000, test.handle.topology.primaries()[0]!, false)
      ).value();
      // Without a clock it ends after its first page.
      if (await hasClock()) {
        expect(value.keys).toHaveLength(32);
        expect(value.large.map((i) => value.keys[i]!.toString())).toHaveLength(31);
      }
      for (const handle of [test.handle, await users.with('-eval_ro')]) {
        const { rows, cost } = await walkFor(handle, { memory: 'exact' });
        for (const [key, { memory }] of rows)
          if (key !== 'set') expect(memory).toBe(await test.redis.memory('USAGE', key, 'SAMPLES', 0));
        const truth = Number(await test.redis.memory('USAGE', 'set', 'SAMPLES', 0));
        expect(Math.abs(rows.get('set')!.memory! / truth - 1)).toBeLessThan(0.1);
        expect(cost.reason).toContain('Memory of collections with over 50000 elements is estimated');
      }
    },
  );
});

describe('reading lengths', () => {
  const KEYS = 60;
  /** The first twenty of a family and the fiftieth. */
  const SAMPLED = 21;

  const fillIdle = async (): Promise<void> => {
    await test.redis.set('source', 'value');
    const dump = await test.redis.dumpBuffer('source');
    await test.redis.del('source');
    for (let i = 0; i < KEYS; i++) await test.redis.restore(`k:${i}`, 0, dump, 'IDLETIME', IDLE);
  };
  const idleKeys = async (): Promise<number> => {
    const idle = await Promise.all(
      Array.from({ length: KEYS }, (_, i) => test.redis.object('IDLETIME', `k:${i}`)),
    );
    return idle.filter((seconds) => Number(seconds) >= IDLE).length;
  };
  /** A walk that begins by itself; what was read of each key. */
  const automatic = async () => {
    const [rows, reasons] = [new Rows({ lengths: 'all' }), [] as (string | null)[]];
    const end = takePartAlways(test.handle, {
      part: 'conventions',
      isDue: () => true,
      begin: () => rows,
      done: async ({ reason }) => void reasons.push(reason),
    });
    await walkIfDue(test.handle);
    end();
    const lengths = [...rows.rows.values()].filter(({ length }) => length !== null);
    return { rows: rows.rows, lengths: lengths.length, reason: reasons[0] };
  };

  it.skipIf(IS_REDIS_6)('leaves idle times as they are in walks that begin by themselves', async () => {
    await fillIdle();
    await test.redis.eval(`for i = 1, 10000 do redis.call('RPUSH', 'long', 'x') end`, 0);
    const touches = await touchesKeys(await scanClient());
    const { rows, lengths, reason } = await automatic();
    expect(rows.size).toBe(KEYS + 1);
    expect(rows.get('long')!.length).toBe(10_000);
    expect(await idleKeys()).toBeGreaterThanOrEqual(touches ? KEYS - SAMPLED : KEYS);
    expect(lengths).toBeLessThanOrEqual(touches ? SAMPLED + 1 : KEYS + 1);
    if (touches) expect(reason).toMatch(/^Lengths were read of some keys only/);
    else expect([lengths, reason]).toEqual([KEYS + 1, null]);
  });

  it.skipIf(IS_REDIS_6)('is of all keys where a user asks for it, and says what that ends', async () => {
    await fillIdle();
    const touches = await touchesKeys(await scanClient());
    const { rows, cost } = await walkFor(test.handle, { lengths: 'all' });
    expect([...rows.values()].every(({ length }) => length === 5)).toBe(true);
    expect(await idleKeys()).toBe(touches ? 0 : KEYS);
    expect(cost.reason ?? '').toMatch(touches ? /^Idle times begin again/ : /^$/);
    expect((await walkFor(test.handle, { lengths: 'all' })).cost.reason).toBe(null);
  });

  it.skipIf(IS_REDIS_6)('is never of all keys where that would change what the server evicts', async () => {
    await test.redis.config('SET', 'maxmemory', '1gb');
    await test.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    try {
      await fillIdle();
      const touches = await touchesKeys(await scanClient());
      const { cost } = await walkFor(test.handle, { lengths: 'all', idle: 'all' });
      expect(await idleKeys()).toBeGreaterThanOrEqual(touches ? KEYS - SAMPLED : KEYS);
      expect(cost.reason ?? '').toMatch(touches ? /^Lengths were read of some keys only/ : /^$/);
    } finally {
      await test.redis.config('SET', 'maxmemory-policy', 'noeviction');
      await test.redis.config('SET', 'maxmemory', '0');
    }
  });
});

it('is shown as running after the walk of another process ended', async () => {
  const walk = (startedAt: string) => ({ startedAt, share: 0.5, parts: [] });
  const [first, second] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z'] as const;
  const read = async () => (await readWalks(test.ctx)).running?.startedAt ?? null;
  await writeRunning(store(), 'main', walk(second));
  await writeCost(store(), 'main', first, null);
  expect(await read()).toBe(second);
  await writeCost(store(), 'main', second, null);
  expect(await read()).toBeNull();
});

import { expect, it, vi } from 'vitest';
import { digest } from '@/lib/keyring';
import { recentValues } from '@/lib/metrics/history';
import { fieldIdOf, seriesIdOf } from '@/lib/metrics/metric-keys';
import { readSeriesNames } from '@/lib/metrics/names';
import { writePin } from '@/lib/metrics/pins';
import { store } from '@/lib/redis/store';
import { MINUTE, SECOND } from '@/lib/time';
import { testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { MAX_METRICS, MAX_STATS_FIELDS, MetricsProbe } from './metrics-probe';
import { Sampler } from './sampler';

vi.mock('@/lib/keyring', { spy: true });

const STEP = 10 * SECOND;

const idOf = (key: string, field?: string): string =>
  seriesIdOf(Buffer.from(key), field === undefined ? null : fieldIdOf(Buffer.from(field)));

const started = async () => {
  forget('role keys');
  forget('metric readings');
  const test = await testContext({ apps: ['discours'] });
  const last = async (now: number) => {
    forget('recent metrics');
    const recent = await recentValues(store(), test.handle, now);
    return (key: string, field?: string) => recent(idOf(key, field));
  };
  return { test, last, probe: new MetricsProbe(test.handle, store()) };
};

it('records numbers every ten seconds, and finds new keys once a minute', async () => {
  const { test, last, probe } = await started();
  try {
    const { redis } = test;
    await redis.mset({ 'metrics:visits:daily': '1', 'metrics:text:daily': 'many' });
    await redis.rpush('metrics:list:daily', 'a');
    await redis.hset('stats:topics:weekly', { total: 40, top: 'rivers' });
    const now = Math.floor(Date.now() / STEP) * STEP;
    await probe.tick(now);
    await redis.set('metrics:visits:daily', '2');
    // The same step once more.
    await probe.tick(now + SECOND);
    await redis.set('metrics:late:daily', '5');
    await probe.tick(now + STEP);
    await redis.del('metrics:visits:daily');
    await probe.tick(now + 2 * STEP);
    forget('role keys');
    await probe.tick(now + MINUTE + STEP);
    const values = await last(now + MINUTE + 2 * STEP);
    expect(values('metrics:late:daily').at(-1)).toBe(5);
    expect(values('metrics:visits:daily').slice(-8)).toEqual([1, 2, null, null, null, null, null, null]);
    expect(values('stats:topics:weekly', 'total').slice(-8)).toEqual([
      40,
      40,
      40,
      null,
      null,
      null,
      null,
      40,
    ]);
    for (const none of [values('stats:topics:weekly', 'top'), values('metrics:text:daily')])
      expect(none.every((value) => value === null)).toBe(true);
  } finally {
    await test.close();
  }
});

it('records no secrets', async () => {
  const { test, last, probe } = await started();
  try {
    await test.redis.hset('stats:auth:daily', { password: 12345, api_key: 7, logins: 3 });
    const now = Math.floor(Date.now() / STEP) * STEP;
    await probe.tick(now);
    const values = await last(now + STEP);
    const of = (field: string) => values('stats:auth:daily', field).at(-1);
    expect([of('password'), of('api_key'), of('logins')]).toEqual([null, null, 3]);
    const names = await readSeriesNames(store(), test.handle.config.id);
    expect(names).toEqual({
      [idOf('stats:auth:daily', 'logins')]: { metric: 'auth', period: 'daily', field: 'logins' },
    });
  } finally {
    await test.close();
  }
});

it('records so many metrics and fields at most, pinned ones first, with few commands', {
  tags: ['long'],
}, async () => {
  const { test, probe } = await started();
  try {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 1000; i++) pipeline.set(`metrics:m${i}:daily`, i);
    for (let i = 0; i < 30; i++)
      pipeline.hset(
        `stats:s${i}:daily`,
        Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, n])),
      );
    await pipeline.exec();
    const [pinnedMetric, pinnedStats] = ['metrics:zz:daily', 'stats:zz:daily'];
    await test.redis.set(pinnedMetric, 5);
    await test.redis.hset(pinnedStats, { zz: 6 });
    const pins = [idOf(pinnedMetric), idOf(pinnedStats, 'zz')];
    for (const [i, keyId] of [pinnedMetric, pinnedStats].entries())
      await writePin(store(), test.handle.config.id, 'one', {
        id: pins[i]!,
        keyId: Buffer.from(keyId).toString('base64url'),
        fieldId: null,
        field: null,
        at: 0,
      });
    const now = Math.floor(Date.now() / STEP) * STEP;
    vi.mocked(digest).mockClear();
    await probe.tick(now);
    // A few for each key and each field that is read: sorting needs no more.
    expect(vi.mocked(digest).mock.calls.length).toBeLessThan(3 * 1032 + 2 * 20 * 50);
    const [, hashes] = /cmdstat_hlen:calls=(\d+)/.exec(await test.redis.info('commandstats'))!;
    expect(Number(hashes)).toBeLessThanOrEqual(20);
    const rows = await test.storeRedis.xrange(
      `keyward:metric-history:${test.handle.config.id}:10s`,
      '-',
      '+',
    );
    expect(rows).toHaveLength(1);
    const { v } = JSON.parse(rows[0]![1][1]!) as { v: Record<string, number> };
    expect(Object.keys(v)).toHaveLength(MAX_METRICS + MAX_STATS_FIELDS);
    expect(pins.map((id) => v[id])).toEqual([5, 6]);
    expect(rows[0]![1][1]!.length).toBeLessThan(8000);
  } finally {
    await test.close();
  }
});

it('only the leading sampler records', async () => {
  const { test, last } = await started();
  const samplers = ['one', 'two'].map((self) => new Sampler(store(), [test.handle], self));
  try {
    await test.redis.set('metrics:visits:daily', '3');
    await expect
      .poll(async () => {
        for (const sampler of samplers) await sampler.tick();
        const values = await last(Date.now() + STEP);
        return values('metrics:visits:daily').filter((value) => value !== null)[0];
      })
      .toBe(3);
  } finally {
    await Promise.all(samplers.map((sampler) => sampler.close()));
    await test.close();
  }
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exactRate } from '@/lib/hit-rates/rate';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { closeStore, store } from '@/lib/redis/store';
import { DAY, HOUR, iso, MINUTE, SECOND } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type Bucket, group, toPoint } from './bucket';
import { recordHistoryEvent } from './events';
import { LiveHub, publishLive } from './points';
import { readSeries, streamLive } from './reads';
import { historyContracts } from './schema';
import { serverHistory } from './server-history';
import { RESOLUTIONS, type Resolution, readSpans, rollUpSpans, writeSpan } from './spans';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(async () => {
  closeStore();
  await test.empty();
});
afterAll(() => test.close());

const [TEN, ONE, HOURLY] = RESOLUTIONS;

const bucket = (at: number, change: Partial<Bucket> = {}): Bucket => ({
  at,
  observedMs: SECOND,
  hits: 8,
  misses: 2,
  commands: 10,
  evicted: 0,
  expired: 0,
  netInBytes: 100,
  netOutBytes: 200,
  usedMemoryBytes: 1000,
  connectedClients: 3,
  latencyMs: 0.5,
  ...change,
});

/** A whole hour long ago, so that nothing depends on when the test runs. */
const T = Math.floor(1_800_000_000_000 / HOUR) * HOUR;
const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0);

const writeBucket = (resolution: Resolution, span: Bucket) =>
  writeSpan(serverHistory, store(), 'main', { resolution, span });
const readBuckets = (resolution: Resolution, from: number, to: number) =>
  readSpans(serverHistory, store(), 'main', { resolution, from, to });
const rollUp = (now: number) => rollUpSpans(serverHistory, store(), 'main', now);

/** Ten-second spans from `from` to `to`, written and rolled up as the sampler does it. */
const sample = async (from: number, to: number, change: Partial<Bucket> = {}) => {
  for (let at = from; at < to; at += TEN.stepMs) {
    await writeBucket(TEN, bucket(at, { observedMs: TEN.stepMs, ...change }));
    await rollUp(at + TEN.stepMs);
  }
};

const series = (from: number, to: number, stepMs: number, now = to) =>
  readSeries(store(), 'main', { from, to, stepMs }, now);

describe('spans', () => {
  it('join into steps: counts add up, gauges are the last, time is what was observed', () => {
    const joined = group(
      [bucket(T), bucket(T + 1000, { hits: 1, usedMemoryBytes: 7 }), bucket(T + 12_000)],
      10_000,
    );
    expect(joined).toEqual([
      bucket(T, {
        observedMs: 2000,
        hits: 9,
        misses: 4,
        commands: 20,
        netInBytes: 200,
        netOutBytes: 400,
        usedMemoryBytes: 7,
      }),
      bucket(T + 10_000),
    ]);
    expect(group([], 10_000)).toEqual([]);
  });

  it('become points: rates by observed time, no rate of nothing', () => {
    expect(toPoint(bucket(T, { observedMs: 500 }))).toMatchObject({
      hitRate: 0.8,
      opsPerSecond: 20,
      at: iso(T),
    });
    expect(toPoint(bucket(T, { hits: 0, misses: 0, observedMs: 0 }))).toMatchObject({
      hitRate: null,
      opsPerSecond: 0,
    });
    expect(exactRate(0, 0)).toBeNull();
    expect(exactRate(0, 5)).toBe(0);
  });

  it('of another version, which cannot be read, are a gap', async () => {
    const key = consoleFamilies.history.key({ connection: 'main', resolution: TEN.name });
    await sample(T, T + 20 * SECOND);
    for (const [i, text] of ['{"hits":"8"}', 'no JSON', 'null'].entries())
      await test.storeRedis.xadd(key, `${T + (2 + i) * TEN.stepMs}-0`, 'b', text);
    await sample(T + 50 * SECOND, T + MINUTE);
    const spans = await readBuckets(TEN, T, T + MINUTE);
    expect(spans.map(({ at }) => at - T)).toEqual([0, 10 * SECOND, 50 * SECOND]);
    const { points } = await series(T, T + MINUTE, MINUTE);
    expect(points.map(({ hits }) => hits)).toEqual([24]);
  });
});

describe('history', () => {
  it('is rolled up once, to the same sums, in every resolution', { tags: ['long'] }, async () => {
    await sample(T, T + 2 * HOUR + 90 * SECOND);
    for (const at of [T + 2 * HOUR, T + 2 * HOUR + 90 * SECOND]) await rollUp(at);
    const ten = await readBuckets(TEN, T, T + DAY);
    const minutes = await readBuckets(ONE, T, T + DAY);
    const hours = await readBuckets(HOURLY, T, T + DAY);
    expect([ten.length, minutes.length, hours.length]).toEqual([729, 121, 2]);
    expect(minutes[0]).toEqual(
      bucket(T, {
        observedMs: MINUTE,
        hits: 48,
        misses: 12,
        commands: 60,
        netInBytes: 600,
        netOutBytes: 1200,
      }),
    );
    expect(hours.map((each) => each.hits)).toEqual([360 * 8, 360 * 8]);
  });

  it('is complete in any step: the newest part comes from the finer resolutions', {
    tags: ['long'],
  }, async () => {
    await sample(T, T + HOUR + 90 * SECOND);
    const all = 369 * 8;
    for (const stepMs of [10, 20, 60, 300, 3600].map((s) => s * SECOND)) {
      const { points, stepSeconds } = await series(T, T + 2 * HOUR, stepMs);
      expect(stepSeconds).toBe(stepMs / SECOND);
      expect([stepMs, sum(points.map((point) => point.hits))]).toEqual([stepMs, all]);
      expect(new Set(points.map((point) => point.at)).size).toBe(points.length);
      expect(points.map((point) => point.at)).toEqual([...points.map((point) => point.at)].sort());
    }
  });

  it('survives a change of leader in the middle of an hour, and shows the time between as a gap', {
    tags: ['long'],
  }, async () => {
    await sample(T, T + 20 * MINUTE);
    await sample(T + 23 * MINUTE, T + HOUR);
    await rollUp(T + HOUR);
    const { points } = await series(T, T + HOUR, MINUTE);
    const at = new Set(points.map((point) => point.at));
    expect(points).toHaveLength(57);
    for (const missing of [20, 21, 22]) expect(at.has(iso(T + missing * MINUTE))).toBe(false);
    const [hour] = (await series(T, T + HOUR, HOUR, T + HOUR)).points;
    expect(hour).toMatchObject({ hits: 57 * 6 * 8, hitRate: 0.8, opsPerSecond: 1 });
    expect((await readBuckets(HOURLY, T, T))[0]?.observedMs).toBe(57 * MINUTE);
  });

  it('is not doubled by two leaders, nor by an older span', async () => {
    await sample(T, T + MINUTE);
    await sample(T, T + MINUTE, { hits: 99 });
    const { points } = await series(T, T + MINUTE, 10 * SECOND);
    expect(points.map((point) => point.hits)).toEqual([8, 8, 8, 8, 8, 8]);
  });

  it('returns the step in use: a multiple of the resolution, coarser where finer history has expired', async () => {
    const now = T + 30 * DAY;
    expect((await series(now - HOUR, now, 15 * SECOND, now)).stepSeconds).toBe(20);
    expect((await series(now - HOUR, now, 90 * SECOND, now)).stepSeconds).toBe(120);
    expect((await series(now - 2 * DAY, now, 10 * SECOND, now)).stepSeconds).toBe(60);
    expect((await series(now - 8 * DAY, now, 10 * SECOND, now)).stepSeconds).toBe(3600);
    expect((await series(now - 400 * DAY, now, DAY, now)).stepSeconds).toBe(86_400);
    await sample(T, T + 5 * MINUTE);
    const { points } = await series(T, T + 5 * MINUTE, 90 * SECOND);
    expect(points.map((point) => point.opsPerSecond)).toEqual([1, 1, 1]);
    expect(points.map((point) => point.hits)).toEqual([96, 96, 48]);
  });

  it('deletes what is older than each resolution keeps', async () => {
    for (let i = 0; i < 400; i++) await writeBucket(TEN, bucket(T + i * 10 * MINUTE));
    const first = (await readBuckets(TEN, 0, T + 10 * DAY))[0]!;
    const newest = T + 399 * 10 * MINUTE;
    expect(first.at).toBeGreaterThan(T);
    // Redis cuts whole nodes of a hundred: at most that much longer.
    expect(first.at).toBeGreaterThan(newest - TEN.keptMs - 101 * 10 * MINUTE);
    expect(first.at).toBeLessThanOrEqual(newest - TEN.keptMs + 10 * MINUTE);
  });

  it('returns the events of a range', async () => {
    const before = Date.now();
    await recordHistoryEvent(store(), 'main', { kind: 'restart', text: 'Restarted' });
    await recordHistoryEvent(store(), 'main', { kind: 'invalidation', text: 'Topics', auditId: 'a' });
    await recordHistoryEvent(store(), 'other', { kind: 'outage', text: 'Unreachable' });
    const { events } = await series(before, Date.now() + 1, MINUTE);
    expect(events.map(({ kind, auditId }) => [kind, auditId])).toEqual([
      ['restart', null],
      ['invalidation', 'a'],
    ]);
    expect((await series(before - HOUR, before - 1, MINUTE)).events).toEqual([]);
  });
});

describe('what is asked of a series', () => {
  const parse = (change: object) =>
    historyContracts.series.input.safeParse({ from: iso(T), to: iso(T + HOUR), ...change }).success;

  it('is a time before another, in steps that are not too many', () => {
    expect(parse({})).toBe(true);
    expect(parse({ stepSeconds: '60' })).toBe(true);
    expect(parse({ to: iso(T) })).toBe(false);
    expect(parse({ from: '2027-01-15T08:00:00.5Z', to: '2027-01-15T08:00:00Z' })).toBe(false);
    expect(parse({ from: '2027-01-15T08:00:00Z', to: '2027-01-15T08:00:00.5Z' })).toBe(true);
    expect(parse({ to: iso(T + DAY), stepSeconds: 1 })).toBe(false);
    for (const stepSeconds of [0, -1, 86_401, 1.5, 'x', '']) expect(parse({ stepSeconds })).toBe(false);
    for (const from of [
      'yesterday',
      '',
      0,
      '2027-01-15',
      '2027-01-15T08:00:00+02:00',
      '2027-13-01T00:00:00Z',
    ])
      expect(parse({ from })).toBe(false);
  });
});

describe('the live stream', () => {
  const figures = {
    maxMemoryBytes: 0,
    keys: 1,
    keysWithTtl: 0,
    evictedKeys: 0,
    product: 'redis',
    version: '7',
  };
  const publish = (hits: number) =>
    publishLive(store(), 'main', { bucket: bucket(Date.now(), { hits }), figures }, Date.now());

  const listen = (lastEventId: string | null = null) => {
    const stop = new AbortController();
    const got: { event: string; hits: number | null; id: string | undefined }[] = [];
    const ended = streamLive(store(), 'main', {
      signal: stop.signal,
      lastEventId,
      send: (event, data, id) => void got.push({ event, hits: (data as { hits?: number }).hits ?? null, id }),
    });
    return { got, ended, stop: () => stop.abort() };
  };

  /** Publishes until the listener hears, which is when it really listens. */
  const heard = async (listener: ReturnType<typeof listen>) => {
    await expect
      .poll(async () => {
        if (listener.got.length === 0) await publish(0);
        return listener.got.length;
      })
      .toBeGreaterThan(0);
  };

  it('reaches every listener, each in order, and ends with it', async () => {
    const [a, b] = [listen(), listen()];
    await Promise.all([heard(a), heard(b)]);
    for (const hits of [1, 2, 3]) await publish(hits);
    for (const { got } of [a, b])
      await expect.poll(() => got.map((each) => each.hits).filter(Boolean)).toEqual([1, 2, 3]);
    a.stop();
    await a.ended;
    await publish(4);
    await expect.poll(() => b.got.at(-1)?.hits).toBe(4);
    expect(a.got.at(-1)?.hits).toBe(3);
    b.stop();
    await b.ended;
  });

  it('sends missed points first, without gaps and duplicates, with other listeners', async () => {
    const other = listen();
    await heard(other);
    await publish(1);
    await expect.poll(() => other.got.at(-1)?.hits).toBe(1);
    const { id } = other.got.at(-1)!;
    for (const hits of [2, 3, 4]) await publish(hits);
    const returning = listen(id!);
    for (let hits = 5; hits < 60; hits++) await publish(hits);
    const expected = Array.from({ length: 58 }, (_, i) => i + 2);
    await expect.poll(() => returning.got.map((each) => each.hits)).toEqual(expected);
    other.stop();
    returning.stop();
    await Promise.all([other.ended, returning.ended]);
    const first = listen(id!);
    for (let hits = 60; hits < 70; hits++) await publish(hits);
    await expect
      .poll(() => first.got.map((each) => each.hits), { timeout: 3000 })
      .toEqual([...expected, ...Array.from({ length: 10 }, (_, i) => i + 60)]);
    first.stop();
    await first.ended;
  });

  it.each([
    'x',
    '0-0',
    '99999999999999-0',
    '999999999999999-9999999999',
    '18446744073709551615-18446744073709551615',
  ])('goes on for everybody when one listener says its last event was %s', async (absurd) => {
    const odd = listen(absurd);
    const refused = odd.ended.then(
      () => null,
      (error: unknown) => error,
    );
    const plain = listen();
    await heard(plain);
    for (const hits of [1, 2, 3]) await publish(hits);
    await expect.poll(() => plain.got.map((each) => each.hits).filter(Boolean)).toEqual([1, 2, 3]);
    if (/^\d{1,15}-\d{1,10}$/.test(absurd)) {
      await expect.poll(() => odd.got.map((each) => each.hits).filter(Boolean)).toEqual([1, 2, 3]);
      expect(odd.got[0]).toMatchObject({ event: 'gap' });
    } else expect(await refused).toMatchObject({ status: 400 });
    odd.stop();
    plain.stop();
    await plain.ended;
  });

  it('sends a limited number of missed points, and reports that there were more', {
    tags: ['long'],
  }, async () => {
    const other = listen();
    await heard(other);
    await publish(1);
    await expect.poll(() => other.got.at(-1)?.hits).toBe(1);
    const { id } = other.got.at(-1)!;
    await Promise.all(Array.from({ length: 899 }, (_, i) => publish(i + 2)));
    const returning = listen(id!);
    await expect.poll(() => returning.got.at(-1)?.hits).toBe(900);
    expect(returning.got[0]).toMatchObject({ event: 'gap', id: undefined });
    const expected = Array.from({ length: 300 }, (_, i) => i + 601);
    expect(returning.got.slice(1).map(({ hits }) => hits)).toEqual(expected);
    other.stop();
    returning.stop();
    await Promise.all([other.ended, returning.ended]);
  });

  it('loses nothing between two reads of the store before the first point', { tags: 'long' }, async () => {
    const hub = new LiveHub({
      ...store(),
      dedicated: (purpose) => {
        const client = store().dedicated(purpose);
        const read = client.redis.xread.bind(client.redis) as (...args: unknown[]) => Promise<unknown>;
        // The first read ends with a point of another connection; one of ours comes before the next read.
        const redis = Object.assign(Object.create(client.redis), {
          xread: async (...args: unknown[]) => {
            const reading = read(...args);
            if (!between) await publishOther();
            const reply = await reading;
            if (!between) await publish(1);
            between = true;
            return reply;
          },
        });
        return Object.assign(Object.create(client), { redis });
      },
    });
    let between = false;
    const publishOther = () => publishLive(store(), 'other', { gap: 'x', at: T }, Date.now());
    const got: (number | null)[] = [];
    const stops = ['main', 'other'].map((name) =>
      hub.subscribe(name, (row) => {
        if (name === 'main' && 'sample' in row && 'bucket' in row.sample) got.push(row.sample.bucket.hits);
      }),
    );
    await expect.poll(() => between).toBe(true);
    await publish(2);
    await expect.poll(() => got).toEqual([1, 2]);
    for (const { stop } of stops) stop();
  });

  it('says a gap and why', async () => {
    const listener = listen();
    await heard(listener);
    await publishLive(store(), 'main', { gap: 'gone', at: T }, Date.now());
    await expect.poll(() => listener.got.at(-1)?.event).toBe('gap');
    listener.stop();
    await listener.ended;
  });

  it('refuses an id that is not of the stream', async () => {
    const stop = new AbortController();
    const sink = { signal: stop.signal, lastEventId: 'x', send: () => undefined };
    await expect(streamLive(store(), 'main', sink)).rejects.toMatchObject({ status: 400 });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FamilySums, groupSpans, type HitRateSpan, readSpans, writeSpan } from '@/lib/hit-rates/spans';
import { closeStore, store } from '@/lib/redis/store';
import { HOUR, iso, MINUTE, SECOND } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { textOf } from '@/scripts/testing/text-of';
import { exportSeries } from './export';
import { readSeriesWithBefore } from './reads';
import { serverHistory } from './server-history';
import { RESOLUTIONS, writeSpan as writeServerSpan } from './spans';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(async () => {
  closeStore();
  await test.empty();
});
afterAll(() => test.close());

/** A whole hour long ago, so that nothing depends on when the test runs. */
const T = Math.floor(1_800_000_000_000 / HOUR) * HOUR;

const sample = async (from: number, to: number, hits: number): Promise<void> => {
  for (let at = from; at < to; at += 10 * SECOND)
    await writeServerSpan(serverHistory, store(), 'main', {
      resolution: RESOLUTIONS[0],
      span: {
        at,
        observedMs: 10 * SECOND,
        hits,
        misses: 2,
        commands: 10,
        evicted: 0,
        expired: 0,
        netInBytes: 0,
        netOutBytes: 0,
        usedMemoryBytes: 1000,
        connectedClients: 3,
        latencyMs: null,
      },
    });
};

describe('the period before', () => {
  const range = { from: iso(T), to: iso(T + 5 * MINUTE), stepSeconds: 60 };
  const read = (compare: boolean) =>
    readSeriesWithBefore(store(), 'main', range, { compare, now: T + 6 * MINUTE });

  it('has the same length, its own times, and nothing of the period itself', async () => {
    await sample(T - 7 * MINUTE, T, 8);
    await sample(T, T + 6 * MINUTE, 18);
    const { points, before } = await read(true);
    expect(points.map(({ at }) => at).slice(0, 2)).toEqual([iso(T), iso(T + MINUTE)]);
    expect(before).toMatchObject({ from: iso(T - 5 * MINUTE), to: iso(T), stepSeconds: 60 });
    expect(before!.points.map(({ at, hits }) => [at, hits])).toEqual(
      [5, 4, 3, 2, 1].map((minutes) => [iso(T - minutes * MINUTE), 48]),
    );
    expect((await read(false)).before).toBeNull();
  });

  it('is exported with the same points as are read', async () => {
    await sample(T, T + 2 * MINUTE, 8);
    const text = async (format: 'csv' | 'json') =>
      textOf(exportSeries(store(), 'main', range, { format, now: T + 6 * MINUTE }));
    const { points } = await read(false);
    const [head, ...rows] = (await text('csv')).trimEnd().split('\r\n');
    expect(head).toBe(Object.keys(points[0]!).join(','));
    // What was not measured is empty, and not 0.
    expect(rows).toEqual(points.map((point) => Object.values(point).join(',')));
    expect(rows[0]).toMatch(/,$/);
    expect(JSON.parse(await text('json'))).toMatchObject({ points, stepSeconds: 60, from: range.from });
  });
});

const window = (at: number, families: Record<string, [number, number]>): HitRateSpan => {
  const sums = Object.entries(families).map(([id, [hits, misses]]): [string, FamilySums] => {
    const n = hits + misses;
    return [id, [hits, misses, 1, hits * hits, hits * n, n * n]];
  });
  const unknown = { kind: 'unknown-command', count: 1, hits: null, misses: null, commands: ['x.get'] };
  const [seconds, windows, cutShort] = [1, 1, 0];
  const counts = { total: [10, 5] as [number, number], left: [0, 1] as [number, number] };
  return {
    at,
    seconds,
    windows,
    cutShort,
    families: Object.fromEntries(sums),
    ...counts,
    reasons: [unknown],
  };
};

describe('windows', () => {
  it('become hours that hold the same sums, and stay readable when they themselves are gone', async () => {
    const begin = T - 3 * HOUR;
    for (let at = begin; at < T; at += 10 * MINUTE)
      await writeSpan(
        store(),
        'main',
        'sample',
        window(at, { a: [8, 2], ...(at < T - HOUR ? { b: [1, 1] } : {}) }),
      );
    const fine = await readSpans(store(), 'main', 'sample', begin, T);
    expect(fine).toHaveLength(18);
    await test.storeRedis.xtrim('keyward:hit-rates:main:sample-fine', 'MINID', T - HOUR);
    const later = await readSpans(store(), 'main', 'sample', begin, T);
    expect(later.map(({ at, windows }) => [at, windows]).slice(0, 3)).toEqual([
      [begin, 6],
      [begin + HOUR, 6],
      [T - HOUR, 1],
    ]);
    expect(groupSpans(later, 100 * HOUR)).toEqual(groupSpans(fine, 100 * HOUR));
    const [all] = groupSpans(later, 100 * HOUR);
    expect(all).toMatchObject({
      windows: 18,
      seconds: 18,
      left: [0, 18],
      reasons: [{ count: 18, commands: ['x.get'] }],
    });
    expect(all!.families).toEqual({ a: [144, 36, 18, 1152, 1440, 1800], b: [12, 12, 12, 12, 24, 48] });
    expect(await test.storeRedis.pttl('keyward:hit-rates:main:sample-hour')).toBeGreaterThan(0);
  });

  it('of a time before what was written are left out', async () => {
    await writeSpan(store(), 'main', 'sample', window(T, { a: [1, 1] }));
    await writeSpan(store(), 'main', 'sample', window(T - MINUTE, { a: [9, 9] }));
    await writeSpan(store(), 'main', 'sample', window(T, { a: [9, 9] }));
    expect(await readSpans(store(), 'main', 'sample', 0, T + HOUR)).toMatchObject([{ at: T }]);
  });
});

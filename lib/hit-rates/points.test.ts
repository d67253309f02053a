import { describe, expect, it } from 'vitest';
import { iso, MINUTE } from '@/lib/time';
import { changePoint } from './change-point';
import { readablePoints } from './points';
import type { HitRateSpan } from './spans';

const START = 1_800_000_000_000;

const step = (minute: number, hits: number, misses: number): HitRateSpan => {
  const n = hits + misses;
  return {
    at: START + minute * MINUTE,
    seconds: 1,
    windows: 1,
    cutShort: 0,
    reasons: [],
    families: { shouts: [hits, misses, 1, hits * hits, hits * n, n * n] },
    total: [hits, misses],
    left: [0, 0],
  };
};

const points = (steps: HitRateSpan[], source: 'sample' | 'counters' = 'sample') =>
  readablePoints('shouts', source, steps, MINUTE);

describe('the points of a family', () => {
  it('join steps until they hold enough look-ups, and lose none of them', () => {
    const steps = Array.from({ length: 30 }, (_, i) => step(i, 2, i % 3 === 0 ? 1 : 0));
    const joined = points(steps);
    expect(joined.length).toBeGreaterThan(1);
    expect(joined.length).toBeLessThan(12);
    for (const { n, hitRate, error, tooFew } of joined) {
      expect(n).toBeGreaterThanOrEqual(20);
      expect([hitRate === null, error === null, tooFew]).toEqual([false, false, false]);
    }
    expect(joined.reduce((sum, { hits }) => sum + hits, 0)).toBe(60);
    expect(joined[0]!.at).toBe(iso(START));
    expect(joined.at(-1)!.to).toBe(iso(START + 30 * MINUTE));
    for (const [i, { at }] of joined.entries()) if (i > 0) expect(at).toBe(joined[i - 1]!.to);
  });

  it('are the steps where each holds enough', () => {
    const steps = [step(0, 9000, 1000), step(1, 9000, 1000), step(2, 5000, 5000)];
    expect(points(steps).map(({ hitRate }) => hitRate)).toEqual([0.9, 0.9, 0.5]);
    expect(points(steps, 'counters').map(({ error }) => error)).toEqual([0, 0, 0]);
  });

  it('have no rate where there are too few look-ups, and are not joined over a gap', () => {
    const [few, many] = points([step(0, 3, 1), step(60, 90, 10)]);
    expect(few).toMatchObject({ hits: 3, misses: 1, n: 4, hitRate: null, error: null, tooFew: true });
    expect(few!.to).toBe(iso(START + MINUTE));
    expect(many).toMatchObject({ n: 100, hitRate: 0.9, tooFew: false });
    expect(points([step(0, 0, 0)])).toMatchObject([{ n: 0, hitRate: null, tooFew: false }]);
    expect(points([])).toEqual([]);
  });
});

describe('the change point', () => {
  const counted = (rates: [hits: number, misses: number][]) =>
    rates.map(([hits, misses], at) => ({ at, hits, misses }));

  it('is where the rate fell, and nowhere where it rose, stayed or was hardly seen', () => {
    const high = Array.from({ length: 20 }, (): [number, number] => [19, 1]);
    const low = Array.from({ length: 10 }, (): [number, number] => [10, 10]);
    expect(changePoint(counted([...high, ...low]))).toBe(20);
    expect(changePoint(counted([...low, ...high]))).toBeNull();
    expect(changePoint(counted(high))).toBeNull();
    expect(
      changePoint(
        counted([
          [3, 0],
          [0, 3],
        ]),
      ),
    ).toBeNull();
    expect(changePoint([])).toBeNull();
  });

  it('is not found in windows that differ all the time', () => {
    const rough = Array.from({ length: 40 }, (_, i): [number, number] => (i % 2 ? [20, 0] : [5, 15]));
    expect(changePoint(counted(rough))).toBeNull();
  });
});

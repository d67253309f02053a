import { expect, it } from 'vitest';
import { errorOf } from './error';
import type { FamilySums } from './spans';

const sumsOf = (windows: readonly [hits: number, misses: number][]): FamilySums =>
  windows.reduce<FamilySums>(
    ([h, m, w, hh, hn, nn], [hits, misses]) => {
      const n = hits + misses;
      return [h + hits, m + misses, w + 1, hh + hits * hits, hn + hits * n, nn + n * n];
    },
    [0, 0, 0, 0, 0, 0],
  );

/** A generator of one's own: the same draws in every run. */
const random = (seed: number) => () => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return seed / 2147483648;
};

it('is null without look-ups, and never 0', () => {
  expect(errorOf([0, 0, 0, 0, 0, 0])).toBeNull();
  expect(errorOf(sumsOf([[10, 0]]))).toBeGreaterThan(0.1);
  expect(errorOf(sumsOf([[1_000_000, 0]]))).toBeLessThan(1e-5);
  expect(errorOf(sumsOf([[5, 5]]))).toBeCloseTo(0.26, 1);
});

it('holds the true rate in 95 of 100, also where look-ups of a window resemble each other', {
  tags: ['long'],
}, () => {
  const next = random(7);
  let held = 0;
  const runs = 1000;
  for (let run = 0; run < runs; run++) {
    const windows = Array.from({ length: 12 }, (): [number, number] => {
      const rate = 0.6 + 0.4 * next();
      const n = 200 + Math.floor(200 * next());
      let hits = 0;
      for (let i = 0; i < n; i++) if (next() < rate) hits++;
      return [hits, n - hits];
    });
    const sums = sumsOf(windows);
    if (Math.abs(sums[0] / (sums[0] + sums[1]) - 0.8) <= errorOf(sums)!) held++;
  }
  expect(held / runs).toBeGreaterThan(0.93);
  expect(held / runs).toBeLessThan(0.985);
});

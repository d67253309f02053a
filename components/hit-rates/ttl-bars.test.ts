import { describe, expect, it } from 'vitest';
import { expiryBars, type FamilyTtlFigures, remainingBars } from './ttl-bars';

const figures = (change: Partial<FamilyTtlFigures>): FamilyTtlFigures => ({
  family: 'a',
  title: 'A',
  countedAt: null,
  keys: null,
  withTtl: null,
  withoutTtl: null,
  memoryBytes: null,
  averageKeyBytes: null,
  averageTtlSeconds: null,
  averageAgeSeconds: null,
  remaining: [],
  expiries: [],
  together: null,
  ...change,
});

const expiry = (second: number, seconds: number, keys: number) => ({
  at: new Date(second * 1000).toISOString(),
  seconds,
  keys,
});

it('shows remaining TTLs up to the last bin with keys', () => {
  const remaining = [
    { fromSeconds: 0, toSeconds: 10, keys: 0 },
    { fromSeconds: 10, toSeconds: 60, keys: 4 },
    { fromSeconds: 60, toSeconds: null, keys: 0 },
  ];
  const name = (from: number, to: number | null) => `${from}–${to}`;
  expect(remainingBars(figures({ remaining }), name)).toEqual([
    { name: '0–10', value: 0 },
    { name: '10–60', value: 4 },
  ]);
});

describe('expiryBars', () => {
  it('has empty bars between, and every key once', () => {
    const expiries = [expiry(100, 10, 2), expiry(110, 10, 3), expiry(140, 10, 1)];
    expect(expiryBars(figures({ expiries })).map(({ at, keys }) => [at / 1000, keys])).toEqual([
      [100, 2],
      [110, 3],
      [120, 0],
      [130, 0],
      [140, 1],
    ]);
  });

  it('has bars as long as the longest bin, and few enough to read', () => {
    const expiries = [expiry(0, 10, 2), expiry(50, 10, 3), expiry(3600, 600, 7), expiry(200_000, 86_400, 1)];
    const bars = expiryBars(figures({ expiries }));
    expect(bars.every(({ width }) => width === 86_400_000)).toBe(true);
    expect(bars.map(({ keys }) => keys)).toEqual([12, 0, 1]);
    expect(
      expiryBars(figures({ expiries: [expiry(0, 10, 1), expiry(3590, 10, 1)] })).length,
    ).toBeLessThanOrEqual(49);
  });

  it('has no bars without expiries', () => {
    expect(expiryBars(figures({}))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Point } from '@/lib/history/schema';
import { figureOf, toSample, withPrevious } from './history-samples';

const point = (second: number, hits: number, misses: number): Point => ({
  at: new Date(second * 1000).toISOString(),
  hits,
  misses,
  hitRate: hits + misses > 0 ? hits / (hits + misses) : null,
  opsPerSecond: hits,
  usedMemoryBytes: 100,
  connectedClients: 1,
  evictedPerSecond: 0,
  expiredPerSecond: 0,
  netInBytesPerSecond: 0,
  netOutBytesPerSecond: 0,
  latencyMs: null,
});

describe('withPrevious', () => {
  const now = [point(60, 1, 0), point(70, 1, 1)].map(toSample);
  const ratesOf = (samples: ReturnType<typeof withPrevious>) =>
    samples.map((sample) => [sample.at / 1000, sample.hitRate, sample['before-hitRate'] ?? null]);

  it('adds the previous period, and keeps the gaps of both', () => {
    const points = [point(0, 1, 3), point(20, 3, 1)];
    expect(ratesOf(withPrevious(now, { points, stepSeconds: 10, shiftMs: 60_000 }, 10_000))).toEqual([
      [60, 1, 0.25],
      [70, 0.5, null],
      [80, null, 0.75],
    ]);
  });

  it('applies a coarser step to each sample it covers', () => {
    const points = [point(0, 1, 3)];
    expect(ratesOf(withPrevious(now, { points, stepSeconds: 20, shiftMs: 60_000 }, 10_000))).toEqual([
      [60, 1, 0.25],
      [70, 0.5, 0.25],
    ]);
  });
});

describe('figureOf', () => {
  const points = [point(0, 10, 0), point(10, 0, 30)];
  it('is a rate from counts, a count as a sum, a level as a mean', () => {
    expect(figureOf(points, 'hitRate')).toBe(0.25);
    expect(figureOf(points, 'misses')).toBe(30);
    expect(figureOf(points, 'opsPerSecond')).toBe(5);
  });

  it('is unknown where nothing was observed', () => {
    expect(figureOf(points, 'latencyMs')).toBeNull();
    expect(figureOf([], 'hits')).toBeNull();
    expect(figureOf([point(0, 0, 0)], 'hitRate')).toBeNull();
  });
});

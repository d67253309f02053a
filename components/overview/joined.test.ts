import { describe, expect, it } from 'vitest';
import type { Point } from '@/lib/history/schema';
import { joinLive } from './joined';

const point = (second: number, hits: number, misses: number): Point => ({
  at: new Date(second * 1000).toISOString(),
  hits,
  misses,
  hitRate: hits + misses > 0 ? hits / (hits + misses) : null,
  opsPerSecond: hits,
  usedMemoryBytes: 100 + second,
  connectedClients: 1,
  evictedPerSecond: 0,
  expiredPerSecond: 0,
  netInBytesPerSecond: 0,
  netOutBytesPerSecond: 0,
  latencyMs: null,
});

describe('joinLive', () => {
  it('continues the history in its own steps', () => {
    const live = [point(9, 1, 1), point(21, 10, 0), point(22, 0, 30), point(31, 1, 0)];
    const samples = joinLive([point(0, 1, 1), point(10, 3, 1)], live, 10_000);
    expect(samples.map(({ at, hitRate }) => [at, hitRate])).toEqual([
      [0, 0.5],
      [10_000, 0.75],
      // Of 10 hits and 30 misses, not the mean of 100 % and 0 %.
      [20_000, 0.25],
      [30_000, 1],
    ]);
    expect(samples[2]).toMatchObject({ opsPerSecond: 5, usedMemoryBytes: 122, latencyMs: null });
  });

  it('knows no rate where nothing was counted', () => {
    expect(joinLive([], [point(1, 0, 0)], 10_000)[0]?.hitRate).toBeNull();
  });
});

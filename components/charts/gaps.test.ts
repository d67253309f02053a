import { describe, expect, it } from 'vitest';
import { timeTicks, withGaps } from './gaps';

const sample = (at: number) => ({ at, rate: 0.9, ops: 10 });

describe('withGaps', () => {
  it('leaves an unbroken series as it is, with the jitter of a real sampler', () => {
    const points = [0, 10_400, 19_900, 30_000].map(sample);
    expect(withGaps(points, 10_000)).toEqual(points);
  });

  it('breaks every line once in a hole, one step after the last sample', () => {
    const points = [0, 10_000, 60_000, 70_000].map(sample);
    expect(withGaps(points, 10_000)).toEqual([
      sample(0),
      sample(10_000),
      { at: 20_000, rate: null, ops: null },
      sample(60_000),
      sample(70_000),
    ]);
  });

  it('has nothing to say about nothing', () => {
    expect(withGaps([], 10_000)).toEqual([]);
  });
});

describe('timeTicks', () => {
  it('stands on round times', () => {
    const from = Date.UTC(2026, 4, 4, 13, 3);
    const ticks = timeTicks(from, from + 3_600_000, 8).map((at) => new Date(at).toISOString().slice(11, 16));
    expect(ticks).toEqual(['13:10', '13:20', '13:30', '13:40', '13:50', '14:00']);
  });

  it("finds midnight in the reader's zone", () => {
    const from = Date.UTC(2026, 4, 1);
    const ticks = timeTicks(from, from + 7 * 86_400_000, 7, 3 * 3_600_000);
    expect(new Set(ticks.map((at) => new Date(at).getUTCHours()))).toEqual(new Set([21]));
  });
});

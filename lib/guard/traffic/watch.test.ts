import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECOND } from '@/lib/time';
import { crossesIn, nextReset, observe, type Period, rateOf, type Sample, type Watch } from './watch';

const PERIOD = 15 * SECOND;
const T = 1_800_000_000_000;

const sample = (at: number, counts: Record<string, number>, fields?: number): Sample => ({
  at,
  total: Object.values(counts).reduce((a, b) => a + b, 0),
  fields: fields ?? Object.keys(counts).length,
  top: Object.entries(counts),
});

/** Observes samples one after another; collects the periods that ended. */
const watchAll = (samples: readonly Sample[]): { watch: Watch; ended: Period[] } => {
  let watch: Watch | null = null;
  const ended: Period[] = [];
  for (const each of samples) {
    const seen = observe(watch, each, PERIOD);
    watch = seen.watch;
    if (seen.ended) ended.push(seen.ended);
  }
  return { watch: watch!, ended };
};

describe('a period', () => {
  it.each([
    ['the map is gone', {}],
    ['the total fell', { a: 3, b: 1 }],
    ['one count fell though the total rose', { a: 1, b: 90 }],
    ['a caller is missing', { b: 30, c: 30 }],
  ])('has ended when %s', (_, counts) => {
    const { watch, ended } = watchAll([sample(T, { a: 10, b: 5 }), sample(T + 2000, counts)]);
    expect(ended).toEqual([{ ...sample(T, { a: 10, b: 5 }), endedAt: T + 1000 }]);
    expect(watch).toMatchObject({ since: T, resets: [T + 1000], samples: [{ at: T + 2000 }] });
  });

  it('continues while counts grow, and without requests', () => {
    const grown = watchAll([
      sample(T, { a: 1 }),
      sample(T + 1000, { a: 1, b: 2 }),
      sample(T + 2000, { a: 9, b: 2 }),
    ]);
    expect([grown.ended, grown.watch.samples.length]).toEqual([[], 3]);
    expect(watchAll([sample(T, {}), sample(T + 1000, {})]).watch.resets).toEqual([]);
    // A caller that is no longer among the heaviest of a larger map did not shrink.
    expect(watchAll([sample(T, { a: 1 }, 500), sample(T + 1000, { b: 2 }, 500)]).ended).toEqual([]);
  });

  it('is expected to end one period after the last end, per collector', () => {
    const at = (resets: number[], now: number, counts: Record<string, number> = { a: 1 }) =>
      nextReset({ since: T, resets, samples: [sample(now, counts)] }, PERIOD, now);
    expect(at([], T)).toBeNull();
    expect(at([T], T + 1000)).toBe(T + PERIOD);
    expect(at([T, T + 6000], T + 7000)).toBe(T + PERIOD);
    // A moment late: it has ended, but that is not observed yet.
    expect(at([T], T + PERIOD + 1000)).toBe(T + 2 * PERIOD);
    expect(at([T, T + 6000], T + PERIOD + 1000)).toBe(T + 6000 + PERIOD);
    expect(at([T, T + 6000], T + PERIOD + 4000)).toBe(T + 6000 + PERIOD);
    // It should have ended, and its counts are still there: the end is unknown.
    expect(at([T], T + PERIOD + 3500)).toBeNull();
    // Without requests an end cannot be observed; the collector's clock goes on.
    expect(at([T], T + 5 * PERIOD + 4000, {})).toBe(T + 6 * PERIOD);
  });

  it('is accurate to a second or two, whatever the times of the samples', { tags: ['long'] }, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 14_999 }),
        fc.integer({ min: 500, max: 3000 }),
        (phase, every) => {
          const samples: Sample[] = [];
          for (let at = T; at < T + 8 * PERIOD; at += every) {
            const inPeriod = (at - T + PERIOD - phase) % PERIOD;
            samples.push(sample(at, { a: 1 + inPeriod }));
          }
          const { watch, ended } = watchAll(samples);
          expect(ended.length).toBeGreaterThanOrEqual(7);
          for (const end of watch.resets) {
            const off = (end - T - phase + 8 * PERIOD) % PERIOD;
            expect(Math.min(off, PERIOD - off)).toBeLessThanOrEqual(every);
          }
        },
      ),
    );
  });
});

describe('the rate of a caller', () => {
  const { watch } = watchAll([
    sample(T - 1000, { a: 500, old: 3 }),
    sample(T, { a: 0 }),
    sample(T + 3000, { a: 30 }),
    sample(T + 6000, { a: 90, b: 5 }),
  ]);

  it('counts requests since an earlier sample of the same period', () => {
    expect(rateOf(watch, 'a', { requests: 90, at: T + 6000 })).toBe(15);
    expect(rateOf(watch, 'a', { requests: 230, at: T + 13_000 })).toBe(20);
    // It is in none of the samples, and those are complete: it began later.
    expect(rateOf(watch, 'c', { requests: 12, at: T + 6000 })).toBe(2);
  });

  it('is unknown from another period or without samples', () => {
    expect(rateOf(watch, 'a', { requests: 3, at: T + 15_000 })).toBeNull();
    expect(rateOf(watch, 'a', { requests: 40, at: T + 15_000 })).toBeNull();
    expect(rateOf(watch, 'a', { requests: 3, at: T - 500 })).toBeNull();
    expect(rateOf({ since: T, resets: [], samples: [] }, 'a', { requests: 3, at: T })).toBeNull();
    const large = watchAll([sample(T, { a: 9 }, 5000), sample(T + 2000, { a: 9 }, 5000)]).watch;
    expect(rateOf(large, 'elsewhere', { requests: 30, at: T + 2000 })).toBeNull();
  });

  it('counts from the beginning of the period if that was observed', () => {
    const { watch: young } = watchAll([sample(T, { a: 9 }), sample(T + 1000, { a: 2 })]);
    expect(rateOf(young, 'a', { requests: 3, at: T + 1500 + 1 })).toBeCloseTo(3 / 1.001);
  });

  it('projects when the threshold is crossed, if that is before the period ends', () => {
    const crossing = (requests: number, ratePerSecond: number | null, endsAt: number | null = T + 10_000) =>
      crossesIn({ requests, ratePerSecond }, 100, { at: T, endsAt });
    expect(crossing(60, 5)).toBe(8);
    expect(crossing(60, 4)).toBeNull();
    expect(crossing(100, 5)).toBeNull();
    expect(crossing(60, 0)).toBeNull();
    expect(crossing(60, null)).toBeNull();
    // With an unknown end the projection goes on.
    expect(crossing(60, 5, null)).toBe(8);
  });
});

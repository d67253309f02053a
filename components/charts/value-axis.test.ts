import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAxis } from './value-axis';

const axis = (values: number[], rules = {}) => {
  const { from, to, ticks, cut } = valueAxis(values, rules);
  return { ends: [from, to], ticks, cut };
};

describe('the axis of values', () => {
  it('spans what is there, so that a change of three points is seen', () => {
    expect(axis([0.925, 0.9, 0.893], { most: 1 })).toEqual({
      ends: [0.88, 0.94],
      ticks: [0.88, 0.9, 0.92, 0.94],
      cut: true,
    });
  });

  it('does not make noise look like change', () => {
    const { ends } = axis([0.9301, 0.93], { most: 1 });
    expect(ends[1]! - ends[0]!).toBeGreaterThanOrEqual(0.04);
  });

  it('begins at zero where a value is near it', () => {
    expect(axis([11, 21, 4])).toEqual({ ends: [0, 30], ticks: [0, 10, 20, 30], cut: false });
    expect(axis([0.02, 0.7], { most: 1 }).ends).toEqual([0, 0.8]);
  });

  it('never exceeds the largest possible value', () => {
    expect(axis([1, 0.999], { most: 1 }).ends[1]).toBe(1);
  });

  it('has whole ticks for counts, and ticks that are round in bytes', () => {
    expect(axis([1, 2], { whole: true }).ticks).toEqual([0, 1, 2]);
    const mib = 1024 ** 2;
    expect(axis([15.2 * mib, 16.9 * mib], { thousand: 1024 }).ticks.map((tick) => tick / mib)).toEqual([
      15, 16, 17, 18,
    ]);
  });

  it('is there without a value, and for zeros', () => {
    for (const values of [[], [0, 0]]) expect(axis(values).ends).toEqual([0, 1]);
  });

  it('contains every value, and has few ticks in ascending order', () => {
    const value = fc.double({ min: 0, max: 1e15, noNaN: true });
    const rules = fc.record({ whole: fc.boolean(), thousand: fc.constantFrom(1000, 1024) });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 9 }), rules, (values, given) => {
        const { from, to, ticks } = valueAxis(values, given);
        const slack = to * 1e-9;
        expect(from).toBeLessThanOrEqual(Math.min(...values) + slack);
        expect(to).toBeGreaterThanOrEqual(Math.max(...values) - slack);
        expect(ticks.length).toBeLessThanOrEqual(8);
        expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
      }),
    );
  });
});

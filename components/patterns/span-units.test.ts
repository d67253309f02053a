import { describe, expect, it } from 'vitest';
import { inUnits, MAX_SECONDS, secondsOf } from './span-units';

describe('a span of time', () => {
  it.each([
    [0, 0, 'seconds'],
    [90, 90, 'seconds'],
    [600, 10, 'minutes'],
    [7200, 2, 'hours'],
    [172_800, 2, 'days'],
  ])('of %i s is shown as %i %s', (seconds, value, unit) => {
    expect(inUnits(seconds)).toEqual({ value, unit });
  });

  it('is read from the address, or the fallback where it is none', () => {
    expect(secondsOf('60', 1, 3600)).toBe(60);
    expect(secondsOf('0', 0, 3600)).toBe(0);
    for (const text of ['', '0', '-1', '1.5', '1e3', String(MAX_SECONDS + 1)])
      expect(secondsOf(text, 1, 3600), text).toBe(3600);
  });
});

import { describe, expect, it } from 'vitest';
import { quickTimes } from './quick-times';

const offered = (now: Date) => Object.fromEntries(quickTimes(now).map(({ id, at }) => [id, at]));

describe('quick choices of a time', () => {
  it('are in the zone of whoever chooses, to the minute', () => {
    // A Wednesday.
    expect(offered(new Date(2026, 6, 15, 14, 20, 31))).toEqual({
      inAnHour: new Date(2026, 6, 15, 15, 20),
      thisEvening: new Date(2026, 6, 15, 18),
      tomorrow: new Date(2026, 6, 16, 9),
      monday: new Date(2026, 6, 20, 9),
    });
  });

  it('leave out what has passed, and Monday where it is tomorrow', () => {
    expect(Object.keys(offered(new Date(2026, 6, 19, 18)))).toEqual(['inAnHour', 'tomorrow']);
  });

  it('mean the next Monday on a Monday, past the end of a month', () => {
    expect(offered(new Date(2026, 7, 31, 8)).monday).toEqual(new Date(2026, 8, 7, 9));
  });
});

import { describe, expect, it } from 'vitest';
import { endFault, endOf, endTime, NO_END } from './ban-end';

const NOW = Date.UTC(2026, 4, 1, 12);
const until = (time: number) => ({ kind: 'until' as const, at: new Date(time).toISOString() });

describe('the end of a ban', () => {
  it('is a span from now, a chosen time, or none', () => {
    expect(endTime(NO_END, NOW)).toBeNull();
    expect(endTime({ kind: 'hour', at: '' }, NOW)).toBe('2026-05-01T13:00:00.000Z');
    expect(endTime({ kind: 'day', at: '' }, NOW)).toBe('2026-05-02T12:00:00.000Z');
    expect(endTime({ kind: 'week', at: 'what was typed before' }, NOW)).toBe('2026-05-08T12:00:00.000Z');
    expect(endTime(until(NOW + 90_000_000), NOW)).toBe('2026-05-02T13:00:00.000Z');
    expect(endTime({ kind: 'until', at: '' }, NOW)).toBeNull();
  });

  it('is what a ban has', () => {
    expect(endOf(null)).toEqual(NO_END);
    expect(endTime(endOf('2026-06-01T10:15:42.000Z'), NOW)).toBe('2026-06-01T10:15:42.000Z');
  });

  it('is in the future, within a year', () => {
    expect(endFault(NO_END, NOW)).toBeNull();
    expect(endFault({ kind: 'hour', at: '' }, NOW)).toBeNull();
    expect(endFault({ kind: 'until', at: '' }, NOW)).toBe('missing');
    expect(endFault(until(NOW - 60_000), NOW)).toBe('past');
    expect(endFault(until(NOW + 60_000), NOW)).toBeNull();
    expect(endFault(until(NOW + 366 * 86_400_000), NOW)).toBe('far');
  });
});

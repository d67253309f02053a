import { describe, expect, it } from 'vitest';
import type { Flag, ScheduledChange } from '@/lib/flags/schema';
import { listInterval } from './list-interval';

const NOW = Date.parse('2026-07-15T12:00:00Z');

const listWith = (...plans: [number, ScheduledChange['state']][]) => {
  const schedule = plans.map(([inMs, state]) => ({ at: new Date(NOW + inMs).toISOString(), state }));
  return {
    items: [{ schedule } as Flag],
    nextCursor: null,
    approval: 'none' as const,
    naming: { prefix: '', kind: 'own' as const },
    newFlags: [],
    indexedAt: new Date(NOW).toISOString(),
    complete: true,
  };
};

describe('when the list is looked at again', () => {
  it('is every five seconds while nothing is due', () => {
    expect(listInterval(undefined, NOW)).toBe(5000);
    expect(listInterval(listWith([3_600_000, 'waiting']), NOW)).toBe(5000);
  });

  it('is every second while newer names are looked for', () => {
    expect(listInterval({ ...listWith(), complete: false }, NOW)).toBe(1000);
  });

  it('is short when the next scheduled change is due, until it has run', () => {
    expect(listInterval(listWith([9000, 'waiting'], [2300, 'waiting']), NOW)).toBe(2300);
    expect(listInterval(listWith([-2000, 'waiting']), NOW)).toBe(500);
  });

  it('ignores suspended changes and those overdue for long', () => {
    expect(listInterval(listWith([-2000, 'suspended'], [-90_000, 'waiting']), NOW)).toBe(5000);
  });
});

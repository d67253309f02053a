import { describe, expect, it } from 'vitest';
import type { Session } from '@/lib/sessions/schema';
import { inOrder, isFiltered, NO_FILTER, wireFilter } from './session-filter';

const session = (fingerprint: string, times: Partial<Session>): Session => ({
  handle: null,
  userId: null,
  username: null,
  createdAt: null,
  lastActivity: null,
  expiresAt: null,
  ttlSeconds: null,
  device: { label: null, userAgent: null, address: null },
  fingerprint,
  indexed: false,
  states: [],
  jwt: null,
  ...times,
});

describe('the filter of the address', () => {
  it('is converted to the server’s input', () => {
    expect(
      wireFilter({ name: '*[x]\\', device: 'iPhone', address: '192.0.2', idle: '604800', state: 'noTtl' }),
    ).toEqual({
      username: '*[x]\\',
      device: 'iPhone',
      address: '192.0.2',
      idleLongerThanSeconds: 604_800,
      state: 'noTtl',
    });
  });

  it('leaves out invalid values, and is empty without valid ones', () => {
    for (const filter of [{}, { state: 'alive' }, { idle: '-1' }, { idle: '0' }, { idle: '999999999' }])
      expect(isFiltered({ ...NO_FILTER, ...filter })).toBe(false);
    expect(wireFilter({ ...NO_FILTER, name: 'x'.repeat(400) }).username).toHaveLength(200);
  });
});

describe('the order of matches', () => {
  const [a, b, c, d] = [
    session('a', { lastActivity: '2026-01-02T00:00:00.000Z', createdAt: '2026-01-01T00:00:00.000Z' }),
    session('b', { createdAt: '2026-01-03T00:00:00.000Z', expiresAt: '2026-02-01T00:00:00.000Z' }),
    session('c', { lastActivity: '2026-01-01T00:00:00.000Z', expiresAt: '2026-03-01T00:00:00.000Z' }),
    session('d', {}),
  ] as const;
  const ordered = (by: string, order: 'asc' | 'desc') =>
    inOrder([a, b, c, d], { by, order })
      .map(({ fingerprint }) => fingerprint)
      .join('');

  it.each([
    ['lastActivity', 'desc', 'bacd'],
    ['lastActivity', 'asc', 'cabd'],
    ['created', 'desc', 'bacd'],
    ['expiry', 'asc', 'bcad'],
    ['expiry', 'desc', 'cbad'],
    ['constructor', 'desc', 'bacd'],
  ] as const)('by %s, %s: %s; who has no such time comes last', (by, order, expected) => {
    expect(ordered(by, order)).toBe(expected);
  });
});

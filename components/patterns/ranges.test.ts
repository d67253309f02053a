import { describe, expect, it } from 'vitest';
import { periodOf, refetchOf, stepFor, timeSpanOf } from './ranges';

const CUSTOM = { range: 'custom', from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' };

describe('periodOf', () => {
  it('reads a range, and a custom one', () => {
    expect(periodOf({ range: '7d', from: '', to: '' })).toBe('7d');
    expect(periodOf(CUSTOM)).toEqual({ from: CUSTOM.from, to: CUSTOM.to });
  });

  it('falls back to the last hour where the address is no range', () => {
    expect(periodOf({ range: 'ever', from: '', to: '' })).toBe('1h');
    expect(periodOf({ ...CUSTOM, to: 'soon' })).toBe('1h');
    expect(periodOf({ ...CUSTOM, from: CUSTOM.to, to: CUSTOM.from })).toBe('1h');
  });
});

describe('timeSpanOf', () => {
  it('ends now for a range, and stays where it is for a custom one', () => {
    expect(timeSpanOf('1h', 10_000_000)).toEqual({ from: 6_400_000, to: 10_000_000, stepSeconds: 10 });
    expect(timeSpanOf(periodOf(CUSTOM), 0)).toMatchObject({ from: Date.parse(CUSTOM.from), stepSeconds: 60 });
    expect(refetchOf(periodOf(CUSTOM))).toBe(false);
    expect(refetchOf('24h')).toBe(60_000);
  });
});

it('has steps that are no more than asked for', () => {
  expect(stepFor(3600, 200)).toBe(60);
  expect(stepFor(86_400, 200)).toBe(600);
  expect(stepFor(30 * 86_400, 200)).toBe(14_400);
  expect(stepFor(10 * 366 * 86_400, 200)).toBe(86_400);
});

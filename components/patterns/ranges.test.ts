import { describe, expect, it } from 'vitest';
import { periodOf, refetchOf, stepFor, stretchOf } from './ranges';

const OWN = { range: 'own', from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' };

describe('periodOf', () => {
  it('reads a range, and one of the reader’s own', () => {
    expect(periodOf({ range: '7d', from: '', to: '' })).toBe('7d');
    expect(periodOf(OWN)).toEqual({ from: OWN.from, to: OWN.to });
  });

  it('falls back to the last hour where the address is no range', () => {
    expect(periodOf({ range: 'ever', from: '', to: '' })).toBe('1h');
    expect(periodOf({ ...OWN, to: 'soon' })).toBe('1h');
    expect(periodOf({ ...OWN, from: OWN.to, to: OWN.from })).toBe('1h');
  });
});

describe('stretchOf', () => {
  it('ends now for a range, and stays where it is for one of the reader’s own', () => {
    expect(stretchOf('1h', 10_000_000)).toEqual({ from: 6_400_000, to: 10_000_000, stepSeconds: 10 });
    expect(stretchOf(periodOf(OWN), 0)).toMatchObject({ from: Date.parse(OWN.from), stepSeconds: 60 });
    expect(refetchOf(periodOf(OWN))).toBe(false);
    expect(refetchOf('24h')).toBe(60_000);
  });
});

it('has steps that are no more than asked for', () => {
  expect(stepFor(3600, 200)).toBe(60);
  expect(stepFor(86_400, 200)).toBe(600);
  expect(stepFor(30 * 86_400, 200)).toBe(14_400);
  expect(stepFor(10 * 366 * 86_400, 200)).toBe(86_400);
});

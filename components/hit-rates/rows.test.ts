import { describe, expect, it } from 'vitest';
import type { FamilyHitRates } from '@/lib/caches/hit-rates/schema';
import type { FamilyRow } from '@/lib/insights/schema';
import { observedPerStep, rowsOf, sorted, spacingOf } from './rows';

const figures = (family: string, hits: number, misses: number): FamilyHitRates => ({
  family,
  title: family,
  cache: true,
  points: [],
  hits,
  misses,
  hitRate: hits + misses > 0 ? hits / (hits + misses) : null,
  source: 'sample',
  coverage: 1,
  error: 0.01,
  n: hits + misses,
  tooFew: false,
  windowSeconds: 10,
  missesPerSecond: misses / 10,
  originLoadPerSecond: misses / 10,
});

const family = (id: string, cache: boolean) => ({ family: id, title: id, cache }) as FamilyRow;
const namesOf = (rows: readonly { family: string }[]) => rows.map((row) => row.family);

describe('rowsOf', () => {
  it('adds the caches of which there is no figure, and nothing else', () => {
    const rows = rowsOf([figures('b', 1, 1)], [family('a', true), family('b', true), family('c', false)]);
    expect(rows.map((row) => [row.family, row.source])).toEqual([
      ['b', 'sample'],
      ['a', 'none'],
    ]);
    expect(rows[1]).toMatchObject({ hitRate: null, missesPerSecond: null, points: [] });
  });
});

describe('sorted', () => {
  const rows = rowsOf(
    [figures('few', 9, 1), figures('many', 10, 90), figures('none', 0, 0)],
    [family('x', true)],
  );

  it('has most misses first, and what is not known last', () => {
    expect(namesOf(sorted(rows, 'missesPerSecond', 'desc'))).toEqual(['many', 'few', 'none', 'x']);
    expect(namesOf(sorted(rows, 'anything', 'desc'))).toEqual(['many', 'few', 'none', 'x']);
  });

  it('leaves the unknown last the other way round too', () => {
    expect(namesOf(sorted(rows, 'hitRate', 'asc'))).toEqual(['many', 'few', 'none', 'x']);
    expect(namesOf(sorted(rows, 'hitRate', 'desc'))).toEqual(['few', 'many', 'none', 'x']);
  });
});

describe('points of windows', () => {
  const point = (second: number, windowSeconds: number) => ({
    at: new Date(second * 1000).toISOString(),
    to: new Date((second + 60) * 1000).toISOString(),
    ...{ n: 1, tooFew: true, error: null },
    hits: 1,
    misses: 0,
    hitRate: null,
    windowSeconds,
  });

  it('are as far apart as windows usually are, and never closer than a step', () => {
    const points = [point(0, 1), point(300, 1), point(600, 1), point(3600, 1)];
    expect(spacingOf(points, 60_000)).toBe(300_000);
    expect(spacingOf(points, 3_600_000)).toBe(3_600_000);
    expect(spacingOf([], 60_000)).toBe(60_000);
  });

  it('tell how much of a step was observed', () => {
    expect(observedPerStep([point(0, 2), point(60, 0), point(120, 2), point(180, 1)])).toBe(2);
    expect(observedPerStep([])).toBeNull();
  });
});

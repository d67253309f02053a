import { describe, expect, it } from 'vitest';
import type { FamilyRow } from '@/lib/families/schema';
import { pointOf, rowOf } from '@/scripts/testing/rate-row';
import { observedPerStep, rowsOf, sorted } from './rows';

const figures = (family: string, hits: number, misses: number) => rowOf(family, [pointOf(0, hits, misses)]);
const family = (id: string, cache: boolean) => ({ family: id, title: id, cache }) as FamilyRow;
const namesOf = (rows: readonly { family: string }[]) => rows.map((row) => row.family);

it('adds the caches without figures, and no other families', () => {
  const rows = rowsOf([figures('b', 1, 1)], [family('a', true), family('b', true), family('c', false)]);
  expect(rows.map((row) => [row.family, row.source])).toEqual([
    ['b', 'sample'],
    ['a', 'none'],
  ]);
  expect(rows[1]).toMatchObject({ hitRate: null, missesPerSecond: null, points: [] });
});

describe('the order of the table', () => {
  const rows = rowsOf(
    [figures('few', 9, 11), figures('many', 10, 90), figures('none', 0, 0)],
    [family('x', true)],
  );

  it('has most misses first', () => {
    expect(namesOf(sorted(rows, 'missesPerSecond', 'desc'))).toEqual(['many', 'few', 'none', 'x']);
    expect(namesOf(sorted(rows, 'anything', 'desc'))).toEqual(['many', 'few', 'none', 'x']);
  });

  it('has unknown figures last, whichever way round', () => {
    expect(namesOf(sorted(rows, 'hitRate', 'asc'))).toEqual(['many', 'few', 'none', 'x']);
    expect(namesOf(sorted(rows, 'hitRate', 'desc'))).toEqual(['few', 'many', 'none', 'x']);
  });
});

it('knows how many seconds of a step were observed', () => {
  const points = [2, 0, 2, 1].map((windowSeconds, i) => ({ ...pointOf(i * 60, 1, 0), windowSeconds }));
  expect(observedPerStep(points)).toBe(2);
  expect(observedPerStep([])).toBeNull();
});

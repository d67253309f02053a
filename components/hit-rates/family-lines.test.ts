import { expect, it } from 'vitest';
import { chosenOf, isLine, linesOf, samplesOf } from './family-lines';
import type { RateRow } from './rows';

const row = (family: string, rates: [number, number | null][]): RateRow => ({
  family,
  title: family.toUpperCase(),
  cache: true,
  points: rates.map(([second, hitRate]) => ({
    at: new Date(second * 1000).toISOString(),
    to: new Date((second + 60) * 1000).toISOString(),
    ...{ n: 0, tooFew: false, error: null },
    hits: 0,
    misses: 0,
    hitRate,
    windowSeconds: 1,
  })),
  hits: 0,
  misses: 0,
  hitRate: null,
  source: 'sample',
  coverage: 1,
  error: null,
  n: 0,
  tooFew: false,
  windowSeconds: 1,
  missesPerSecond: null,
  originLoadPerSecond: null,
});

const rows = [
  row('a', [[0, 0.5]]),
  row('b', [
    [0, null],
    [60, 1],
  ]),
  row('empty', []),
];

it('draws what the address names, else the worst that have points', () => {
  expect(chosenOf('b,unheard', rows)).toEqual(['b']);
  expect(chosenOf('', rows)).toEqual(['a', 'b']);
  expect(chosenOf('empty', rows)).toEqual(['a', 'b']);
  expect(linesOf(['b'], rows)).toEqual([{ id: 'b', name: 'B', color: 1 }]);
});

it('puts the families of one time into one sample, and knows no rate without look-ups', () => {
  expect(samplesOf(['a', 'b'], rows)).toEqual([
    { at: 0, a: 0.5, b: null },
    { at: 60_000, a: null, b: 1 },
  ]);
});

it('takes rates of one family at two points in time for a line, and nothing less', () => {
  expect(isLine(rows)).toBe(false);
  const two: [number, number | null][] = [
    [0, 0.5],
    [60, 0.5],
  ];
  expect(isLine([row('a', two)])).toBe(true);
});

import { describe, expect, it } from 'vitest';
import { coveredTimes, steppedSamples, valuesAtSteps } from './covered';

const MINUTE = 60_000;
const point = (fromMinute: number, toMinute: number, rate: number) => ({
  at: new Date(fromMinute * MINUTE).toISOString(),
  to: new Date(toMinute * MINUTE).toISOString(),
  rate,
});
type RatePoint = ReturnType<typeof point>;

const line = (id: string, points: RatePoint[]) => ({
  points,
  fields: (each: RatePoint | null) => ({ [id]: each?.rate ?? null }),
});

describe('the time a point covers', () => {
  it('includes a short hole after it, not a long one', () => {
    const times = coveredTimes([point(0, 1, 1), point(5, 6, 1), point(20, 21, 1)], MINUTE);
    expect(times.map(({ from, to }) => [from / MINUTE, to / MINUTE])).toEqual([
      [0, 5],
      [5, 6],
      [20, 21],
    ]);
  });
});

describe('samples of a stepped chart', () => {
  const rows = (...lines: ReturnType<typeof line>[]) =>
    steppedSamples(lines, MINUTE).map(({ at, ...values }) => [at / MINUTE, values]);

  it('change where a point begins, and end with a gap', () => {
    expect(rows(line('a', [point(0, 1, 0.5), point(1, 3, 0.8)]))).toEqual([
      [0, { a: 0.5 }],
      [1, { a: 0.8 }],
      [3, { a: 0.8 }],
      [3 + 1 / MINUTE, { a: null }],
    ]);
  });

  it('have the value of every line at each time, and no line across a gap', () => {
    expect(rows(line('a', [point(0, 1, 0.5), point(10, 11, 0.6)]), line('b', [point(0, 11, 0.9)]))).toEqual([
      [0, { a: 0.5, b: 0.9 }],
      [1, { a: 0.5, b: 0.9 }],
      [1 + 1 / MINUTE, { a: null, b: 0.9 }],
      [10, { a: 0.6, b: 0.9 }],
      [11, { a: 0.6, b: 0.9 }],
      [11 + 1 / MINUTE, { a: null, b: null }],
    ]);
  });

  it('are none without points', () => {
    expect(rows(line('a', []))).toEqual([]);
  });
});

it('gives a sparkline the value that covers each step', () => {
  const span = { from: 0, to: 20 * MINUTE, stepMs: MINUTE, count: 4 };
  expect(valuesAtSteps([point(0, 4, 0.5), point(4, 9, 0.7)], ({ rate }) => rate, span)).toEqual([
    0.5,
    0.7,
    null,
    null,
  ]);
});

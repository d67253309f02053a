import { expect, it } from 'vitest';
import { coverageOf, shownFrom } from './span';

const sample = (at: number) => ({ at, hitRate: null });

it('tells which part of a range was sampled', () => {
  const samples = [sample(0), sample(10_000)];
  expect(coverageOf(samples, 0, 40_000, 10_000)).toBe(0.5);
  expect(coverageOf(samples, 5_000, 15_000, 10_000)).toBe(1);
  expect(coverageOf([], 0, 1, 10_000)).toBe(0);
});

it('begins a chart with a young history, and shows five minutes at least', () => {
  const minutes = (n: number): number => n * 60_000;
  expect(shownFrom([], 0, minutes(60))).toBe(0);
  expect(shownFrom([sample(minutes(59))], 0, minutes(60))).toBe(minutes(55));
  expect(shownFrom([sample(minutes(30))], 0, minutes(60))).toBe(minutes(30));
  expect(shownFrom([sample(minutes(-5))], 0, minutes(60))).toBe(0);
});

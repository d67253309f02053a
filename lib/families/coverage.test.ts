import { expect, it } from 'vitest';
import { Coverage } from './coverage';

it('weighs each primary by what was scanned of it', () => {
  const coverage = new Coverage();
  coverage.add({ index: 0, share: 0.25, weight: 0.5 }, 100);
  coverage.add({ index: 0, share: 0.5, weight: 0.5 }, 100);
  coverage.add({ index: 1, share: 0.1, weight: 0.5 }, 0);
  // 200 in a half of the first, none in a tenth of the second.
  const { keys, error } = coverage.estimate();
  expect(keys).toBe(400);
  expect(error).toBe(Math.ceil(1.96 * Math.sqrt((202 * 0.5) / 0.25 + (2 * 0.9) / 0.01) + 4));
});

it('takes a primary that nothing came from yet for one like the others', () => {
  const coverage = new Coverage();
  coverage.add({ index: 0, share: 0.5, weight: 0.4 }, 100);
  expect(coverage.estimate().keys).toBe(500);
});

it('has no error of chance for what was scanned to the end', () => {
  const coverage = new Coverage();
  coverage.add({ index: 0, share: 1, weight: 1 }, 300);
  expect(coverage.estimate()).toEqual({ keys: 300, error: 3 });
});

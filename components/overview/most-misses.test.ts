import { expect, it } from 'vitest';
import { mostMisses } from './most-misses';

const row = (family: string, misses: number | null, missesPerSecond: number | null = misses) => ({
  family,
  misses,
  missesPerSecond,
});

it('ranks families by misses per second and leaves out those without misses', () => {
  const rows = [row('small', 2), row('unknown', null), row('large', 90), row('none', 0), row('middle', 40)];
  expect(mostMisses(rows).map(({ family }) => family)).toEqual(['large', 'middle', 'small']);
});

it('shows eight of many', () => {
  expect(mostMisses(Array.from({ length: 20 }, (_, i) => row(`f${i}`, i)))).toHaveLength(8);
});

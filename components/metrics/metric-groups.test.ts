import { expect, it } from 'vitest';
import type { MetricItem } from '@/lib/metrics/schema';
import { samplesOf } from './history-samples';
import { columnPeriods, groupsOf, otherPeriods } from './metric-groups';

const item = (name: string, period: string): MetricItem => ({
  keyId: `${name}-${period}`,
  key: '',
  kind: 'metric',
  name,
  period,
  group: name,
  value: 1,
  text: null,
  problem: null,
  fields: null,
  ttlSeconds: null,
});

it('groups items by name, and holds the last name back while its other periods may follow', () => {
  const items = [item('a', 'daily'), item('a', 'weekly'), item('b', 'daily')];
  expect(groupsOf(items, false).map(({ id, items: own }) => [id, own.length])).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
  expect(groupsOf(items, true).map(({ id }) => id)).toEqual(['a']);
  expect(groupsOf(items.slice(2), true).map(({ id }) => id)).toEqual(['b']);
});

it('gives the usual periods columns, and the two most frequent others', () => {
  const groups = groupsOf(
    [item('a', 'x'), item('a', 'total'), item('a', 'y'), item('b', 'y'), item('b', 'z'), item('c', 'z')],
    false,
  );
  const columns = columnPeriods(groups);
  expect(columns).toEqual(['total', 'y', 'z']);
  expect(otherPeriods(groups[0]!, columns).map(({ period }) => period)).toEqual(['x']);
});

it('joins histories by time; what one lacks is a gap', () => {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString();
  const line = (id: string) => ({ id, name: id, figure: { keyId: 'k' } });
  const { samples, stepMs, from, to } = samplesOf(
    [line('a'), line('b')],
    [
      { points: [{ at: at(0), value: 1 }], stepSeconds: 10, from: 5, to: 50 },
      {
        points: [
          { at: at(0), value: 2 },
          { at: at(10), value: 3 },
        ],
        stepSeconds: 10,
        from: 4,
        to: 60,
      },
    ],
  );
  expect(samples).toEqual([
    { at: 0, a: 1, b: 2 },
    { at: 10_000, a: null, b: 3 },
  ]);
  expect([stepMs, from, to]).toEqual([10_000, 4, 60]);
});

import { expect, it } from 'vitest';
import { boundedFigures, figuresOf, type Row } from './series';

const row = (queue: string, length: number | null): Row => ({
  labels: { queue },
  at: 5,
  values: { queue_length: length },
});

const bounded = (rows: readonly Row[], max: number) =>
  boundedFigures('queue', rows, { max, at: 9 }).map(({ name, labels, value }) => [
    name.replace('keyward_', ''),
    Object.values(labels)[0],
    value,
  ]);

it('leaves out what is unknown, and what is no number', () => {
  expect(figuresOf(row('a', null))).toEqual([]);
  expect(figuresOf(row('a', Number.NaN))).toEqual([]);
  expect(figuresOf(row('a', 0))).toEqual([
    { name: 'keyward_queue_length', labels: { queue: 'a' }, value: 0, at: 5 },
  ]);
});

it('has the first row of each name and no more than the limit, and counts the others', () => {
  expect(bounded([row('a', 1), row('•••', 2), row('•••', 3), row('b', 4), row('c', 5)], 3)).toEqual([
    ['queue_length', 'a', 1],
    ['queue_length', '•••', 2],
    ['queue_length', 'b', 4],
    ['figures_dropped', 'queue', 2],
  ]);
  expect(bounded([row('a', 1)], 3).at(-1)).toEqual(['figures_dropped', 'queue', 0]);
});

import { expect, it } from 'vitest';
import { cursorAt } from '@/lib/list-page';
import { problemOf } from '@/scripts/testing/problem-of';
import { pageOfReading } from './readings';

type Row = readonly [value: number | null, id: string];

/** Ids of pages of two, each of a reading of its own. */
const paged = (readings: readonly (readonly Row[])[], order: 'asc' | 'desc'): string[] => {
  const seen: string[] = [];
  let cursor: string | undefined;
  for (const [i, rows] of readings.entries()) {
    const page = pageOfReading(rows, i, { order, limit: 2, cursor }, (row) => row);
    seen.push(...page.items.map(([, id]) => id));
    cursor = page.nextCursor ?? undefined;
  }
  expect(cursor).toBeUndefined();
  return seen;
};

const aged = (seconds: number): Row[] => [
  ...['a', 'b', 'c', 'd'].map((id): Row => [5 + seconds, id]),
  [null, 'unknown'],
];

it.each(['asc', 'desc'] as const)('pages go on in readings whose values are others, %s', (order) => {
  expect(paged([aged(0), aged(3), aged(1)], order)).toEqual(['a', 'b', 'c', 'd', 'unknown']);
});

it('pages end where fewer rows are left', () => {
  expect(paged([aged(0), aged(1).slice(0, 2)], 'desc')).toEqual(['a', 'b']);
});

it.each([[-1], [1.5], [1e300]])('a cursor with the count %s is refused', async (count) => {
  const input = { order: 'asc' as const, limit: 2, cursor: cursorAt([1, count]) };
  const problem = await problemOf((async () => pageOfReading(aged(0), 1, input, (row) => row))());
  expect(problem.code).toBe('bad_input');
});

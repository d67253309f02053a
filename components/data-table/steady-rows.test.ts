import { expect, it } from 'vitest';
import { holdRows } from './steady-rows';

type Row = { id: string; hits: number };
const rows = (ids: string, hits = 0): Row[] => [...ids].map((id) => ({ id, hits }));
const hold = (shown: string, latest: string, paged = false) =>
  holdRows(rows(shown), rows(latest, 1), { rowId: ({ id }) => id, paged });
const idsOf = (held: { rows: readonly Row[] }) => held.rows.map(({ id }) => id).join('');

it('keeps order and set of the rows, with their latest values', () => {
  const held = hold('abc', 'cab');
  expect(held.rows).toEqual(rows('abc', 1));
  expect(held.updates).toBe(1);
});

it('keeps a row that is gone, with its last values, and leaves a new one out', () => {
  const held = hold('abc', 'xac');
  expect(idsOf(held)).toBe('abc');
  expect(held.rows[1]).toEqual({ id: 'b', hits: 0 });
  expect([...held.gone]).toEqual(['b']);
  expect(held.updates).toBe(2);
});

it('counts a row that moved once, however far', () => {
  expect(hold('abcdef', 'fabcde').updates).toBe(1);
  expect(hold('abcdef', 'bcdefa').updates).toBe(1);
  expect(hold('abcdef', 'abcdef').updates).toBe(0);
});

it('adds the next page behind the last known row, and nothing in a list without pages', () => {
  expect(hold('abc', 'xabcde', true)).toMatchObject({ updates: 1 });
  expect(idsOf(hold('abc', 'xabcde', true))).toBe('abcde');
  expect(idsOf(hold('', 'ab', true))).toBe('ab');
  // After everything has changed there is no last known row.
  expect(hold('abc', 'xyz', true)).toMatchObject({ updates: 6 });
  expect(hold('abc', 'abcde')).toMatchObject({ updates: 2 });
});

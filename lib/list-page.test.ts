import { describe, expect, it } from 'vitest';
import { Problem } from './errors';
import { cursorAt, indexAt, pageOfRows, placeAt } from './list-page';

const cursorOf = (json: string): string => Buffer.from(json).toString('base64url');

describe('a cursor', () => {
  it('is a place in an order', () => {
    expect(placeAt(cursorAt([3, 'c']), ['number', 'string'])).toEqual([3, 'c']);
  });

  it.each(['[1e400]', '[-1e400]', '["3"]', '[null]', '[]', '[3,4]', '{}', 'nothing'])(
    'such as %s is refused',
    (json) => {
      expect(() => placeAt(cursorOf(json), ['number'])).toThrow(Problem);
      expect(() => indexAt(cursorOf(json))).toThrow(Problem);
    },
  );
});

it.each(['[1.5]', '[-1]', '[1e300]'])('an index is a whole number, not %s', (json) => {
  expect(() => indexAt(cursorOf(json))).toThrow(Problem);
});

it('a page goes on after its cursor, though the row there is gone', () => {
  const page = (rows: number[], cursor?: string) =>
    pageOfRows(rows, { cursor, limit: 2 }, ['number'], (row) => [row]);
  const first = page([3, 1, 2, 4]);
  expect(first.items).toEqual([1, 2]);
  expect(page([1, 3, 4], first.nextCursor!)).toEqual({ items: [3, 4], nextCursor: null });
});

import { expect, it } from 'vitest';
import { cursorAt, placeAt } from './list-page';

const encoded = (json: string): string => Buffer.from(json).toString('base64url');

it('gives back the place in a cursor, and refuses any other', () => {
  expect(placeAt(cursorAt([7, 'a']), ['number', 'string'])).toEqual([7, 'a']);
  for (const json of ['[7]', '["a",7]', '[7,"a",1]', '[1e400,"a"]', '[-1e400,"a"]', '{}', '7', ''])
    expect(() => placeAt(encoded(json), ['number', 'string'])).toThrow('start again without one');
});

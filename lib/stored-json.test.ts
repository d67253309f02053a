import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseStored, parseStoredHash } from './stored-json';

const schema = z.object({ at: z.number(), note: z.string().nullable().default(null) });

it('reads what the schema says, with its defaults and nothing beyond', () => {
  expect(parseStored(schema, '{"at":1,"more":2}')).toEqual({ at: 1, note: null });
});

it.each([null, undefined, '', 'null', '{"at":1', '[]', '{"at":"1"}', '{"note":"x"}'])(
  'takes %j for nothing',
  (text) => expect(parseStored(schema, text)).toBeNull(),
);

it('reads the fields of a hash that match', () => {
  const fields = { first: '{"at":1}', broken: '{"at":', other: '{"at":"1"}' };
  expect(parseStoredHash(schema, fields)).toEqual([['first', { at: 1, note: null }]]);
});

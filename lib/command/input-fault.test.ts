import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import ru from '@/messages/ru/sentences.json';
import { translatorOf } from '@/messages/sentences';
import zh from '@/messages/zh/sentences.json';
import { inputFault } from './input-fault';

const KINDS = z.discriminatedUnion('op', [
  z.object({ op: z.literal('a') }),
  z.object({ op: z.literal('b') }),
]);

const CASES: [string, z.ZodType, unknown, string][] = [
  ['a missing text', z.string(), undefined, 'This is required.'],
  ['a missing choice', z.enum(['a', 'b']), undefined, 'This is required.'],
  ['a number for a text', z.string(), 5, 'Give a text.'],
  ['a text for a number', z.number(), '5', 'Give a number.'],
  ['a fraction for an integer', z.int(), 1.5, 'Give a whole number.'],
  ['a text for a switch', z.boolean(), 'true', 'Give true or false.'],
  ['a text for a list', z.array(z.string()), 'a', 'Give a list.'],
  ['a text for an object', z.object({}), 'a', 'Give an object.'],
  ['another choice', z.enum(['on', 'off']), 'maybe', 'Choose one of these: on, off.'],
  [
    'another choice of many',
    z.enum(Array.from({ length: 13 }, (_, i) => `c${i}`)),
    'x',
    'This is not one of the choices.',
  ],
  ['an empty text', z.string().min(1), '', 'This must not be empty.'],
  ['a short text', z.string().min(12), 'x', 'Give at least 12 characters.'],
  ['a long text', z.string().max(2), 'xxx', 'Give at most 2 characters.'],
  ['an empty list', z.array(z.string()).min(1), [], 'This must not be empty.'],
  ['a long list', z.array(z.string()).max(2), ['', '', ''], 'Give at most 2 entries.'],
  ['a small number', z.number().min(3), 2, 'Give 3 or more.'],
  ['zero', z.number().positive(), 0, 'Give more than 0.'],
  ['a big number', z.number().max(100), 101, 'Give 100 or less.'],
  ['a number at its limit', z.number().lt(100), 100, 'Give less than 100.'],
  ['an odd number', z.number().multipleOf(2), 3, 'Give a multiple of 2.'],
  ['no e-mail address', z.email(), 'x', 'Give an e-mail address.'],
  ['no Base64', z.base64(), '?', 'Give Base64.'],
  ['no time', z.iso.datetime(), 'x', 'Give a time such as 2026-01-31T12:00:00Z.'],
  ['another form', z.string().regex(/^a/), 'b', 'This does not have the expected form.'],
  ['a missing alternative', z.union([z.string(), z.number()]), undefined, 'This is required.'],
  ['another value than the only one', z.literal(true), false, 'This must be true.'],
  ['an object without its kind', KINDS, {}, 'This is required.'],
  ['an object of no kind', KINDS, { op: 'c' }, 'Choose one of these: a, b.'],
  ['no object of a kind', KINDS, null, 'Give an object.'],
  ['no alternative', z.union([z.string(), z.number()]), true, 'This does not have the expected form.'],
];

describe('an input without a sentence of its own', () => {
  const faultIn = (schema: z.ZodType, input: unknown) =>
    schema.safeParse(input, { error: inputFault }).error?.issues[0]?.message;

  it.each(CASES)('is explained: %s', (_what, schema, input, sentence) =>
    expect(faultIn(schema, input)).toBe(sentence),
  );

  it.each(CASES)('is explained in other languages: %s', (_what, _schema, _input, sentence) => {
    expect(translatorOf(ru, 'ru')(sentence)).toMatch(/\p{Script=Cyrillic}/u);
    expect(translatorOf(zh, 'zh')(sentence)).toMatch(/\p{Script=Han}/u);
  });

  it('keeps the sentence of its schema', () =>
    expect(faultIn(z.string().min(3, 'Too short.'), 'x')).toBe('Too short.'));
});

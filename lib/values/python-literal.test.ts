import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { expect, it } from 'vitest';
import { writeJson } from '@/lib/exact-json';
import { parseNested, parsePython } from './python-literal';

it('reads what the real application writes', () => {
  const text = String.raw`{'ip': '1.2.3.4', 'user_agent': 'Mozilla/5.0 (X11)', 'x': None, 'y': True, "it's": 'a\'b\n\x41\u00e9', 'n': {'a': [1, (2,)]}}`;
  expect(parsePython(text)).toEqual({
    ip: '1.2.3.4',
    user_agent: 'Mozilla/5.0 (X11)',
    x: null,
    y: true,
    "it's": "a'b\nAé",
    n: { a: [1, [2]] },
  });
});

it.each<[string, unknown]>([
  ['{}', {}],
  ['()', []],
  [' [ 1 , 2.5 , -3e-7 , 1e+20 , .5, ] ', [1, 2.5, -3e-7, new LosslessNumber('1e+20'), 0.5]],
  ['[+1189723456789012481]', [new LosslessNumber('1189723456789012481')]],
  ['{1, 2}', [1, 2]],
  ["{'a'}", ['a']],
  ["{1: 'a', None: 'b', (1, 'c'): 'd',}", { 1: 'a', None: 'b', "(1, 'c')": 'd' }],
  ["b'\\xff\\x00a'", '\xff\0a'],
  ["u'a'", 'a'],
  ['"it\'s"', "it's"],
  [
    String.raw`'\a\b\f\n\r\t\v\\\'\"\0\101\7q\U0001f600\N{BULLET}\q'`,
    '\x07\b\f\n\r\t\v\\\'"\0A\x07q😀\ufffd\\q',
  ],
  ["'a\\\nb'", 'ab'],
  ["'\\Uffffffff'", '\ufffd'],
  ['[nan, inf, -inf]', [Number.NaN, Infinity, -Infinity]],
  [
    "{'at': datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc), 'id': UUID('1'), 'ip': 'x'}",
    { at: undefined, id: undefined, ip: 'x' },
  ],
  ['False', false],
  ['None', null],
])('reads %s', (text, value) => {
  expect(parsePython(text)).toEqual(value);
});

it.each([
  '',
  ' ',
  'nul',
  'text',
  'a b',
  '{',
  '}',
  '[',
  '(',
  "'",
  '"',
  "'a",
  '\'a"',
  "'a\nb'",
  '[1 2]',
  '[,]',
  '{:}',
  "{'a'}}",
  "{'a':}",
  "{'a' 1}",
  "{'a': 1, 'b'}",
  "{'a': 1 'b': 2}",
  'f(',
  'f(1',
  'f()',
  "'\\x4'",
  "'\\",
  '1 2',
  '-',
  '+',
  '.',
  "'\\u12'",
  "r'a'",
  '<object at 0x7f>',
  '\0',
  `${'['.repeat(33)}${']'.repeat(33)}`,
  `'${'x'.repeat(70_000)}'`,
])('takes %j for no literal', (text) => {
  expect(parsePython(text)).toBeUndefined();
});

it('makes names of a prototype ordinary fields', () => {
  const value = parsePython("{'__proto__': {'ip': '1'}, 'constructor': 2}") as object;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
});

/** Text as Python's `repr` writes it: quotes as they are fewer, and an escape for what is not printable ASCII. */
const reprText = (text: string): string => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
  const escaped = Array.from(text, (character) => {
    const code = character.codePointAt(0)!;
    if (character === '\\' || character === quote) return `\\${character}`;
    if (character === '\n') return '\\n';
    if (code >= 0x20 && code < 0x7f) return character;
    if (code <= 0xff) return `\\x${hex(code, 2)}`;
    return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  });
  return quote + escaped.join('') + quote;
};

const repr = (value: unknown): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return reprText(value);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  const entries = Object.entries(value as object).map(([name, field]) => `${reprText(name)}: ${repr(field)}`);
  return `{${entries.join(', ')}}`;
};

const values = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' });

it('reads any value that repr writes', () => {
  fc.assert(
    fc.property(values, (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(writeJson(parsePython(repr(plain))))).toEqual(plain);
    }),
  );
});

it('reads JSON as JSON', () => {
  fc.assert(
    fc.property(values, (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(writeJson(parseNested(text)))).toEqual(JSON.parse(text));
    }),
  );
});

it('never throws, whatever is removed or inserted', () => {
  const pieces = fc.array(
    fc.constantFrom(
      "'",
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      '(',
      ')',
      ':',
      ',',
      'b',
      '=',
      'f',
      '1',
      '.',
      ' ',
      '\n',
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        pieces.map((some) => some.join('')),
        fc.string({ unit: 'binary' }),
      ),
      (text) => {
        parsePython(text);
      },
    ),
  );
  fc.assert(
    fc.property(values, fc.nat(), (value, cut) => {
      const text = repr(JSON.parse(JSON.stringify(value)));
      parsePython(text.slice(0, cut % (text.length + 1)));
    }),
  );
});

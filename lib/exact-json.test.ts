import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idOf, parseJson, scalarText, writeJson } from './exact-json';

const digits = fc.stringMatching(/^-?[1-9]\d{0,40}$/);
const numbers = fc.oneof(
  digits,
  fc.stringMatching(/^-?(0|[1-9]\d{0,20})\.\d{1,25}$/),
  fc.stringMatching(/^[1-9]\d{0,3}(\.\d{1,20})?[eE][+-]?\d{1,4}$/),
);
/** A number wherever one can stand. */
const places = fc.constantFrom(
  (text: string) => [text, (value: unknown) => value] as const,
  (text: string) => [`[0, ${text} ]`, (value: unknown) => (value as unknown[])[1]] as const,
  (text: string) =>
    [`{"a":{"b":\n${text}}}`, (value: unknown) => (value as { a: { b: unknown } }).a.b] as const,
);

describe('JSON of others', () => {
  it('keeps whole numbers of any length as their text', () => {
    fc.assert(
      fc.property(digits, places, (text, place) => {
        const [json, at] = place(text);
        expect(scalarText(at(parseJson(json)))).toBe(text);
      }),
    );
  });

  it('loses no digit of any number', () => {
    fc.assert(
      fc.property(numbers, places, (text, place) => {
        const [json, at] = place(text);
        const written = writeJson(at(parseJson(json)));
        // Where JavaScript's own form is another, it is the same number: 0 for -0.0 too.
        if (written !== text) expect(Number(written) === Number(text)).toBe(true);
        expect(writeJson(parseJson(written))).toBe(written);
      }),
    );
  });

  it('takes -0 for 0, as an id that JavaScript wrote', () => {
    expect(['-0', '-0.0'].map((text) => scalarText(parseJson(text)))).toEqual(['0', '0']);
  });

  it('is otherwise what JSON.parse makes of it, also beside a long number', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        const [first, second] = parseJson(`[12345678901234567890,${text}]`) as [unknown, unknown];
        expect(String(first)).toBe('12345678901234567890');
        expect(JSON.parse(writeJson(second))).toEqual(JSON.parse(text));
      }),
    );
    expect(parseJson('{"a":1,"a":2,"b":12345678901234567890}')).toMatchObject({ a: 2 });
    const odd = parseJson('{"__proto__":{"x":1},"b":12345678901234567890}');
    expect([Object.hasOwn(odd as object, '__proto__'), (odd as { x?: number }).x]).toEqual([true, undefined]);
  });

  it.each(['', '{', '[1,]', '01', '12345678901234567890x', '{12345678901234567890:1}', '-', '1e'])(
    'refuses %j',
    (text) => expect(() => parseJson(text)).toThrow(SyntaxError),
  );

  it('knows ids that applications write as numbers', () => {
    expect(['7', '1189723456789012481', '007', 'a7', '-7'].map((text) => writeJson(idOf(text)))).toEqual([
      '7',
      '1189723456789012481',
      '"007"',
      '"a7"',
      '"-7"',
    ]);
  });
});

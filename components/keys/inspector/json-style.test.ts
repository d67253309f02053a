import { describe, expect, it } from 'vitest';
import { COMPACT, inStyle, READABLE, styleOf } from './json-style';

const stored = '{"id":12345678901234567890,"a":[1.0,"x, y: {\\"z\\"}"],"e":{},"f":[],"a":null}';

describe('inStyle', () => {
  it('changes white space only: digits, escapes and duplicates stay', () => {
    const readable = inStyle(stored, READABLE);
    expect(readable.split('\n')).toEqual([
      '{',
      '  "id": 12345678901234567890,',
      '  "a": [',
      '    1.0,',
      '    "x, y: {\\"z\\"}"',
      '  ],',
      '  "e": {},',
      '  "f": [],',
      '  "a": null',
      '}',
    ]);
    expect(inStyle(readable, COMPACT)).toBe(stored);
  });

  it('recognises how a text is written, and what it cannot reproduce', () => {
    expect(styleOf(stored)).toEqual(COMPACT);
    expect(styleOf('{"a": 1, "b": [2, 3]}')).toMatchObject({ comma: ', ', indent: null });
    expect(styleOf('{\n\t"a": 1\n}')).toMatchObject({ indent: '\t' });
    expect(styleOf('{"a" : 1,"b":2}')).toBeNull();
    expect(styleOf('{"a":1}\n')).toBeNull();
    expect(styleOf('12')).toEqual(COMPACT);
  });

  it('takes ten thousand levels', () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    expect(inStyle(inStyle(deep, READABLE), COMPACT)).toBe(deep);
  });
});

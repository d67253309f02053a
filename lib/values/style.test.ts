import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBoolean, writeBoolean } from './style';

describe('the format of a boolean', () => {
  it.each([
    ['true', 'false'],
    ['TRUE', 'FALSE'],
    ['True', 'False'],
    ['1', '0'],
    ['on', 'off'],
    ['On', 'Off'],
    ['ON', 'OFF'],
    ['yes', 'no'],
    ['Yes', 'No'],
    ['YES', 'NO'],
  ])('keeps %s and %s together', (on, off) => {
    expect(readBoolean(on)).toBe(true);
    expect(readBoolean(off)).toBe(false);
    expect(writeBoolean(on, false)).toBe(off);
    expect(writeBoolean(off, true)).toBe(on);
    expect(writeBoolean(on, true)).toBe(on);
    expect(writeBoolean(off, false)).toBe(off);
  });

  it('answers mixed case in lower case, and keeps it if nothing changes', () => {
    expect(writeBoolean('tRuE', false)).toBe('false');
    expect(writeBoolean('tRuE', true)).toBe('tRuE');
    expect(writeBoolean('yES', false)).toBe('no');
  });

  it.each([
    '',
    ' true',
    'true\n',
    'enabled',
    '2',
    '01',
    'y',
    't',
    'null',
    'truefalse',
    'on,off',
    '١',
    'ﬀ',
    'oﬀ',
  ])('does not take %j for a boolean', (text) => {
    expect(readBoolean(text)).toBeNull();
    expect(writeBoolean(text, true)).toBeNull();
  });

  it('writes every case pattern in both directions', () => {
    const words = fc.constantFrom('true', 'false', '1', '0', 'on', 'off', 'yes', 'no');
    const style = fc.constantFrom(
      (word: string) => word,
      (word: string) => word.toUpperCase(),
      (word: string) => word[0]!.toUpperCase() + word.slice(1),
    );
    fc.assert(
      fc.property(words, style, fc.boolean(), (word, inStyle, enabled) => {
        const text = inStyle(word);
        const next = writeBoolean(text, enabled)!;
        expect(readBoolean(next)).toBe(enabled);
        expect(writeBoolean(next, readBoolean(text)!)).toBe(text);
      }),
    );
  });

  it('never takes other text for a boolean', () => {
    const known = /^(true|false|1|0|on|off|yes|no)$/i;
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (text) => {
        expect(readBoolean(text) !== null).toBe(known.test(text));
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayBytes } from '@/lib/keyspace/display';
import { bytesOfName, nameText, visiblePieces, visibleText } from './visible-text';

describe('visibleText', () => {
  it('makes controls, direction marks and zero-width characters visible', () => {
    expect(visibleText('a\x1b[31mb')).toBe('a\\x1b[31mb');
    expect(visibleText('user\u202egnp.exe')).toBe('user\\u202egnp.exe');
    expect(visibleText('pay\u200bpal')).toBe('pay\\u200bpal');
    expect(visibleText('two\nlines\t.')).toBe('two\\nlines\\t.');
    expect(visibleText('\ud800')).toBe('\\ud800');
    expect(visibleText('\u{e0041}')).toBe('\\u{e0041}');
  });

  it('leaves markup, other scripts and emoji alone', () => {
    for (const text of [
      '<script>alert(1)</script>',
      'редактор',
      '王浩',
      'е\u0301',
      '👩‍💻 ok',
      '❤\ufe0f 1\ufe0f\u20e3',
    ]) {
      expect(visibleText(text)).toBe(text);
    }
  });

  it('says how much was cut, in characters', () => {
    const { pieces, cut, end } = visiblePieces('😀'.repeat(300), 200);
    expect(pieces).toEqual([{ text: '😀'.repeat(150), escaped: false }]);
    expect([cut, end]).toEqual([100, [{ text: '😀'.repeat(50), escaped: false }]]);
    expect(visibleText(`${'x'.repeat(80)}y`)).toBe(`${'x'.repeat(60)}…${'x'.repeat(19)}y`);
    expect(visibleText('x'.repeat(80))).toBe('x'.repeat(80));
  });

  it('never lets an unseen character through', { tags: ['long'] }, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visibleText(text, 1000)).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe('nameText', () => {
  it.each([
    ['ws:\\xff', 'ws:\\x5cxff'],
    ['a\\b', 'a\\b'],
    [' a  b ', '\\x20a\\x20 b\\x20'],
    ['a b', 'a b'],
    ['❤\ufe0f', '❤\\xef\\xb8\\x8f'],
    ['a\u00a0b\u3000c', 'a\\xc2\\xa0b\\xe3\\x80\\x80c'],
    ['a\nb\\', 'a\\x0ab\\x5c'],
  ])('%j is shown as %s', (name, shown) => {
    expect(nameText(name)).toBe(shown);
  });

  it('shows no two names alike, nor anything that cannot be seen, and is read back', {
    tags: ['long'],
  }, () => {
    const unit = fc.constantFrom(...'\\x5cf a\t\u200b\ufe0f\u00a0é❤x');
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit }), fc.string({ unit: 'grapheme' })), (name) => {
        const shown = nameText(name);
        expect(shown).not.toMatch(/^ | $| {2}|(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u);
        expect(Buffer.from(bytesOfName(shown))).toEqual(Buffer.from(name));
        expect(nameText(Buffer.from(bytesOfName(shown)).toString())).toBe(shown);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['e\u0301', 'é'],
    ['\u212a', 'K'],
    ['a\u2800', 'a '],
    ['\u1112\u1161', '하'],
  ])('shows %j unlike %j', (name, other) => {
    expect(nameText(name)).toMatch(/^[ -~\u1112]+$/);
    expect(nameText(other)).not.toBe(nameText(name));
    expect(displayBytes(Buffer.from(name))).toBe(nameText(name));
    expect(Buffer.from(bytesOfName(nameText(name)))).toEqual(Buffer.from(name));
  });

  it.each(['é', 'हिन्दी', 'שָׁלוֹם', 'สวัสดี', 'ქართული', '한글', 'Å'])('shows %s as it is', (name) => {
    expect(nameText(name)).toBe(name);
    expect(displayBytes(Buffer.from(name))).toBe(name);
  });
});

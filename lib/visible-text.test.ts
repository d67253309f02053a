import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visiblePieces, visibleText } from './visible-text';

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
    for (const text of ['<script>alert(1)</script>', 'редактор', '王浩', 'е\u0301', '👩‍💻 ok']) {
      expect(visibleText(text)).toBe(text);
    }
  });

  it('says how much was cut, in characters', () => {
    const { pieces, cut } = visiblePieces('😀'.repeat(300), 200);
    expect(pieces).toEqual([{ text: '😀'.repeat(200), escaped: false }]);
    expect(cut).toBe(100);
    expect(visibleText('x'.repeat(81))).toBe(`${'x'.repeat(80)}…`);
    expect(visibleText('x'.repeat(80))).toBe('x'.repeat(80));
  });

  it('never lets an unseen character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visibleText(text, 1000)).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

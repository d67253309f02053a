import { describe, expect, it } from 'vitest';
import { differingPart, diffLines, linesOf } from './diff-lines';

const shown = (before: string, after: string) =>
  diffLines(linesOf(before), linesOf(after)).map(
    ({ kind, text }) => `${{ same: ' ', gone: '-', new: '+' }[kind]}${JSON.stringify(text)}`,
  );

describe('the difference of two values', () => {
  it('keeps the lines they share', () => {
    expect(shown('a\nb\nc\n', 'a\nx\nc\nd\n')).toEqual([
      ' "a\\n"',
      '-"b\\n"',
      '+"x\\n"',
      ' "c\\n"',
      '+"d\\n"',
    ]);
  });

  it('tells a line break that is missing at the end, and nothing from an empty value', () => {
    expect(shown('a\n', 'a')).toEqual(['-"a\\n"', '+"a"']);
    expect(shown('', 'a')).toEqual(['+"a"']);
    expect(shown('a', 'a')).toEqual([' "a"']);
  });

  it('tells where in a line, never within a character', () => {
    const parts = (before: string, after: string) => {
      const { from, beforeTo, afterTo } = differingPart(before, after);
      return [before.slice(from, beforeTo), after.slice(from, afterTo)];
    };
    expect(parts('redis://old:6379', 'redis://new-one:6379')).toEqual(['old', 'new-one']);
    expect(parts('aa', 'aaa')).toEqual(['', 'a']);
    expect(parts('same', 'same')).toEqual(['', '']);
    expect(parts('x\u{1f600}y', 'x\u{1f601}y')).toEqual(['\u{1f600}', '\u{1f601}']);
    expect(parts('x\u{1f600}', 'x\u{20600}')).toEqual(['\u{1f600}', '\u{20600}']);
  });

  it('finds one line among thousands, and does not go on for ever over long ones that share none', () => {
    const long = Array.from({ length: 2000 }, (_, i) => `${i}`);
    expect(diffLines(long, [...long, 'x']).filter(({ kind }) => kind !== 'same')).toEqual([
      { kind: 'new', text: 'x' },
    ]);
    const others = long.map((text) => `other ${text}`);
    const started = performance.now();
    const kinds = diffLines(long, others).map(({ kind }) => kind);
    expect(performance.now() - started).toBeLessThan(3000);
    expect(kinds).toEqual([...long.map(() => 'gone'), ...others.map(() => 'new')]);
  });
});

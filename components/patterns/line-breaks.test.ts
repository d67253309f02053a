import { describe, expect, it } from 'vitest';
import { lineBreaksOf, withLineBreaksOf } from './line-breaks';

describe('line breaks', () => {
  it('are recognised', () => {
    expect(['', 'a', 'a\nb'].map(lineBreaksOf)).toEqual(['lf', 'lf', 'lf']);
    expect(lineBreaksOf('a\r\nb\r\n')).toBe('crlf');
    expect(['a\r\nb\n', 'a\rb', '\r'].map(lineBreaksOf)).toEqual(['mixed', 'mixed', 'mixed']);
  });

  it('come back as they were from a field that knows only LF', () => {
    expect(withLineBreaksOf('a\r\nb', 'a\nb\nc')).toBe('a\r\nb\r\nc');
    expect(withLineBreaksOf('a\nb', 'a\nc')).toBe('a\nc');
    expect(withLineBreaksOf('', 'a\r\nc')).toBe('a\nc');
    expect(withLineBreaksOf('a\r\nb\n', 'a\nb\n')).toBe('a\nb\n');
  });
});

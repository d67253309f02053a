import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineError, MAX_LINE_BYTES, parseLine } from './parse';

const words = (line: string): string[] =>
  parseLine(line).map(({ bytes }) => Buffer.from(bytes).toString('latin1'));

const errorOf = (line: string): LineError => {
  try {
    parseLine(line);
  } catch (error) {
    if (error instanceof LineError) return error;
  }
  return expect.fail('expected the line to be refused');
};

describe('a line', () => {
  it('is split as redis-cli splits it', () => {
    expect(words('  SET  a  b ')).toEqual(['SET', 'a', 'b']);
    expect(words('set "a b" \'c d\'')).toEqual(['set', 'a b', 'c d']);
    expect(words('"\\x00\\xff\\n\\r\\t\\b\\a\\\\\\"" "\\xzz"')).toEqual(['\0\xff\n\r\t\b\x07\\"', 'xzz']);
    expect(words("'it\\'s \\n'")).toEqual(["it's \\n"]);
    expect(words('""')).toEqual(['']);
    expect(Buffer.from(parseLine('ключ')[0]!.bytes).toString()).toBe('ключ');
    expect(words('   ')).toEqual([]);
    // A space of Unicode is a part of a word.
    expect(parseLine('GET a\u00a0b\u2003c\ufeff').map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
      'GET',
      'a\u00a0b\u2003c\ufeff',
    ]);
  });

  it('with an open quote, or something behind a closed one, is refused with its place', () => {
    expect(errorOf('GET "abc')).toMatchObject({ at: 5, message: expect.stringContaining('not closed') });
    expect(errorOf("GET 'a\\'")).toMatchObject({ at: 5 });
    expect(errorOf('GET "a"b')).toMatchObject({
      at: 8,
      message: expect.stringContaining('followed by a space'),
    });
    expect(errorOf('GET "a\\')).toMatchObject({ at: 5 });
  });

  it('that is too long is refused', () => {
    expect(errorOf('x'.repeat(MAX_LINE_BYTES + 1)).message).toContain('16 KiB');
    expect(errorOf('я'.repeat(MAX_LINE_BYTES / 2 + 1)).message).toContain('16 KiB');
    expect(errorOf('x '.repeat(1001)).message).toContain('1000 arguments');
    expect(parseLine('x '.repeat(1000))).toHaveLength(1000);
  });

  it('that is being typed may have an open quote', () => {
    expect(parseLine('GET "ab', { isPartial: true }).map(({ start, end }) => [start, end])).toEqual([
      [0, 3],
      [4, 7],
    ]);
  });

  it('carries any bytes by escapes, and never throws anything but its own error', { tags: 'long' }, () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 }), (args) => {
        const line = args
          .map(
            (bytes) => `"${[...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`,
          )
          .join(' ');
        expect(parseLine(line).map(({ bytes }) => [...bytes])).toEqual(args.map((bytes) => [...bytes]));
      }),
      { numRuns: 50 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (line) => {
        const partial = parseLine(line, { isPartial: true });
        for (const { start, end } of partial) expect(start < end && end <= line.length).toBe(true);
        try {
          parseLine(line);
        } catch (error) {
          expect(error).toBeInstanceOf(LineError);
          expect((error as LineError).at).toBeLessThanOrEqual(line.length + 1);
        }
      }),
    );
  });
});

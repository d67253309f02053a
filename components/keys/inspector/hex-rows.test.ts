import { describe, expect, it } from 'vitest';
import { bytesOfHex, hexLines, hexRow, hexRowCount, setBits } from './hex-rows';
import { textRows } from './text-rows';

const bytes = Uint8Array.from({ length: 18 }, (_, i) => (i < 2 ? i : 0x40 + i));

describe('hex', () => {
  it('shows sixteen bytes a row, with their offset in the value', () => {
    expect(hexRowCount(bytes.length)).toBe(2);
    expect(hexRow(bytes, 0, 65_536)).toEqual({
      offset: 65_536,
      hex: '00 01 42 43 44 45 46 47  48 49 4a 4b 4c 4d 4e 4f',
      ascii: '··BCDEFGHIJKLMNO',
    });
    expect(hexRow(bytes, 1, 0)).toEqual({ offset: 16, hex: '50 51', ascii: 'PQ' });
  });

  it('reads back what it writes, and nothing else', () => {
    expect(bytesOfHex(hexLines(bytes))).toEqual(bytes);
    expect(bytesOfHex('')).toEqual(new Uint8Array());
    expect([bytesOfHex('0'), bytesOfHex('0g')]).toEqual([null, null]);
  });

  it('numbers bits as Redis does', () => {
    expect(setBits(Uint8Array.of(0x80, 0x00, 0x03), 0, 10)).toEqual({ positions: [0, 22, 23], count: 3 });
    expect(setBits(Uint8Array.of(0xff), 2, 3)).toEqual({ positions: [16, 17, 18], count: 8 });
  });
});

describe('text', () => {
  it('numbers lines, and continues long ones', () => {
    expect(textRows('a\n\nb\n')).toEqual([
      { text: 'a', line: 1, ends: true },
      { text: '', line: 2, ends: true },
      { text: 'b', line: 3, ends: true },
    ]);
    const rows = textRows(`${'x'.repeat(999)}\u{1f600}${'y'.repeat(1000)}`);
    expect(rows.map(({ text, line, ends }) => [text.length, line, ends])).toEqual([
      [1001, 1, false],
      [1000, null, false],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { fromBase64, hexOf, readBase64, readText, toBase64 } from './file-bytes';

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7) % 256);

describe('files', () => {
  it('go through base64 whole, also beyond what one call takes', { tags: ['long'] }, async () => {
    for (const length of [0, 1, 255, 100_001]) {
      const there = bytes(length);
      expect(Buffer.from(toBase64(there), 'base64').equals(Buffer.from(there))).toBe(true);
      expect(fromBase64(toBase64(there))).toEqual(there);
    }
    expect(await readBase64(new Blob([bytes(3)]))).toBe('AAcO');
  });

  it('are read as text, or null', async () => {
    expect(await readText(new Blob(['A=ü\n']))).toBe('A=ü\n');
    expect(await readText(new Blob([new Uint8Array([0xff, 0xfe])]))).toBeNull();
  });

  it('are shown as bytes', () => {
    expect(hexOf(new Uint8Array([0xc4, 0x08]), 8)).toBe('c4 08');
    expect(hexOf(bytes(9), 2)).toBe('00 07 …');
  });
});

export const BYTES_PER_ROW = 16;

export interface HexRow {
  /** The first byte's offset in the complete value. */
  offset: number;
  hex: string;
  ascii: string;
}

const hexByte = (byte: number): string => byte.toString(16).padStart(2, '0');

/** The row of 16 bytes at `index`; `start` is the offset of the page in the value. */
export const hexRow = (bytes: Uint8Array, index: number, start: number): HexRow => {
  const row = bytes.subarray(index * BYTES_PER_ROW, (index + 1) * BYTES_PER_ROW);
  const digits = Array.from(row, hexByte);
  return {
    offset: start + index * BYTES_PER_ROW,
    hex: [digits.slice(0, 8).join(' '), digits.slice(8).join(' ')].filter(Boolean).join('  '),
    ascii: Array.from(row, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join(
      '',
    ),
  };
};

export const hexRowCount = (length: number): number => Math.ceil(length / BYTES_PER_ROW);

/** The bytes of hexadecimal digits; white space between them is ignored. Null for other text. */
export const bytesOfHex = (text: string): Uint8Array<ArrayBuffer> | null => {
  const digits = text.replace(/\s+/g, '');
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) return null;
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
};

/** Bytes as lines of 16 pairs of digits. */
export const hexLines = (bytes: Uint8Array): string => {
  const lines: string[] = [];
  for (let i = 0; i < bytes.length; i += BYTES_PER_ROW)
    lines.push(Array.from(bytes.subarray(i, i + BYTES_PER_ROW), hexByte).join(' '));
  return lines.join('\n');
};

/** Positions of the set bits in SETBIT's numbering: bit 0 is the highest of the first byte. At most `max` are listed. */
export const setBits = (
  bytes: Uint8Array,
  start: number,
  max: number,
): { positions: number[]; count: number } => {
  const positions: number[] = [];
  let count = 0;
  bytes.forEach((byte, i) => {
    if (byte === 0) return;
    for (let bit = 0; bit < 8; bit++) {
      if ((byte & (0x80 >> bit)) === 0) continue;
      count++;
      if (positions.length < max) positions.push((start + i) * 8 + bit);
    }
  });
  return { positions, count };
};

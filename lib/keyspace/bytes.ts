/** Byte predicates and decoding shared by the catalog. All of it is linear in the number of bytes. */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

export const encodeText = (text: string): Uint8Array => encoder.encode(text);

/** A 256-entry table with 1 at every byte of `chars` (ASCII), for use as a character class. */
export const byteTable = (chars: string): Uint8Array => {
  const table = new Uint8Array(256);
  for (const byte of encodeText(chars)) table[byte] = 1;
  return table;
};

/** Length of the well-formed UTF-8 sequence at `at` (RFC 3629: no overlong forms, no surrogates), or 0. */
export const utf8SequenceLength = (bytes: Uint8Array, at: number, end: number): number => {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  const length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || at + length > end) return 0;
  const second = bytes[at + 1]!;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = at + 2; i < at + length; i++) if ((bytes[i]! & 0xc0) !== 0x80) return 0;
  return length;
};

export const isUtf8 = (bytes: Uint8Array, start: number, end: number): boolean => {
  let at = start;
  while (at < end) {
    const length = utf8SequenceLength(bytes, at, end);
    if (length === 0) return false;
    at += length;
  }
  return true;
};

/** Decodes bytes known to be valid UTF-8; `ascii` takes the faster path where every byte is below 0x80. */
export const decodeSpan = (bytes: Uint8Array, start: number, end: number, ascii: boolean): string => {
  if (bytes instanceof Buffer) return bytes.toString(ascii ? 'latin1' : 'utf8', start, end);
  return decoder.decode(bytes.subarray(start, end));
};

export const bytesEqualAt = (bytes: Uint8Array, at: number, literal: Uint8Array): boolean => {
  for (let i = 0; i < literal.length; i++) if (bytes[at + i] !== literal[i]) return false;
  return true;
};

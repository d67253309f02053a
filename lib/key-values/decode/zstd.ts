import 'server-only';
import { Decompress } from 'fzstd';
import { type Decoded, MAX_OUTPUT_BYTES, Output } from './output';

const MAGIC = 0xfd2fb528;
/** The library allocates the window that a frame asks for; encoders of small values use far less. */
const MAX_WINDOW_BYTES = 8 * 2 ** 20;

interface Frame {
  /** Where its first block begins. */
  blocks: number;
  hasChecksum: boolean;
}

const sizeAt = (input: Buffer, at: number, bytes: number): number => {
  if (bytes === 8) return Number(input.readBigUInt64LE(at));
  // Two bytes do not repeat what one can say (RFC 8878, 3.1.1.1.4).
  return bytes === 0 ? 0 : input.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
};

/** The header of a frame (RFC 8878, 3.1.1.1); null where it is none, or needs too large a window. */
const readHeader = (input: Buffer): Frame | null => {
  if (input.length < 18 || input.readUInt32LE(0) !== MAGIC) return null;
  const descriptor = input[4]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3]!;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? Number(isSingle) : 1 << sizeFlag;
  const sizePlace = 5 + Number(!isSingle) + dictionary;
  const exponent = 10 + (input[5]! >> 3);
  const window = isSingle ? sizeAt(input, sizePlace, sizeBytes) : 2 ** exponent * (1 + (input[5]! & 7) / 8);
  if (window > MAX_WINDOW_BYTES) return null;
  return { blocks: sizePlace + sizeBytes, hasChecksum: (descriptor & 4) !== 0 };
};

const RAW_RLE = 1;

/** Decompresses the first frame block by block (at most 128 KiB each), so that no input can exceed the limit by more. */
export const inflateZstd = (input: Buffer, isCut: boolean, max = MAX_OUTPUT_BYTES): Decoded | null => {
  const frame = readHeader(input);
  if (!frame) return null;
  const output = new Output(max);
  try {
    const stream = new Decompress((part) => void output.add(part));
    stream.push(input.subarray(0, frame.blocks));
    for (let at = frame.blocks; at + 3 <= input.length && !output.isFull; ) {
      const header = input.readUIntLE(at, 3);
      const isLast = (header & 1) === 1;
      const end = at + 3 + (((header >> 1) & 3) === RAW_RLE ? 1 : header >> 3);
      if (end > input.length) break;
      const close = isLast && frame.hasChecksum ? 4 : 0;
      stream.push(input.subarray(at, end + close));
      // Another frame behind the first is not read.
      if (isLast) return { bytes: output.bytes(), truncated: output.isFull || end + close < input.length };
      at = end;
    }
  } catch {
    if (output.bytes().length === 0) return null;
  }
  const bytes = output.bytes();
  return bytes.length > 0 || isCut ? { bytes, truncated: true } : null;
};

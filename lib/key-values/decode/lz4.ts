import 'server-only';
import { type Decoded, MAX_OUTPUT_BYTES } from './output';

const MAGIC = 0x184d2204;

/** The output so far, which is also what matches refer to. */
class Window {
  readonly bytes: Buffer;
  length = 0;

  constructor(max: number) {
    this.bytes = Buffer.allocUnsafe(max);
  }

  get isFull(): boolean {
    return this.length >= this.bytes.length;
  }

  add(part: Uint8Array): void {
    const taken = part.subarray(0, this.bytes.length - this.length);
    this.bytes.set(taken, this.length);
    this.length += taken.length;
  }

  /** False where the offset points before the beginning. */
  repeat(offset: number, count: number): boolean {
    if (offset === 0 || offset > this.length) return false;
    const end = Math.min(this.length + count, this.bytes.length);
    // Byte by byte, because a match may overlap what it writes.
    for (; this.length < end; this.length++) this.bytes[this.length] = this.bytes[this.length - offset]!;
    return true;
  }
}

/** Reads one compressed block (LZ4 block format). False where it is damaged. */
const readBlock = (block: Uint8Array, window: Window): boolean => {
  let at = 0;
  const lengthFrom = (nibble: number): number => {
    let length = nibble;
    if (nibble === 15)
      for (let byte = 255; byte === 255 && at < block.length; ) {
        byte = block[at++]!;
        length += byte;
      }
    return length;
  };
  while (at < block.length && !window.isFull) {
    const token = block[at++]!;
    const literals = lengthFrom(token >> 4);
    if (at + literals > block.length) return false;
    window.add(block.subarray(at, at + literals));
    at += literals;
    // The last sequence has literals only.
    if (at >= block.length) return true;
    const offset = block[at]! | ((block[at + 1] ?? 0) << 8);
    at += 2;
    if (!window.repeat(offset, lengthFrom(token & 15) + 4)) return false;
  }
  return true;
};

/**
 * Decompresses an LZ4 frame, at most `max` bytes of it. No kept library does so within a limit; checksums are not compared, as
 * the result is only shown.
 */
export const inflateLz4 = (input: Buffer, isCut: boolean, max = MAX_OUTPUT_BYTES): Decoded | null => {
  if (input.length < 11 || input.readUInt32LE(0) !== MAGIC) return null;
  const flags = input[4]!;
  const hasDictionary = (flags & 1) !== 0;
  if (flags >> 6 !== 1 || hasDictionary) return null;
  const blockChecksum = (flags & 0x10) !== 0 ? 4 : 0;
  const window = new Window(max);
  let at = 7 + ((flags & 8) !== 0 ? 8 : 0);
  let isWhole = false;
  while (at + 4 <= input.length && !window.isFull) {
    const header = input.readUInt32LE(at);
    isWhole = header === 0;
    if (isWhole) break;
    const block = input.subarray(at + 4, at + 4 + (header & 0x7fffffff));
    if (header >>> 31 === 1) window.add(block);
    else if (!readBlock(block, window)) break;
    at += 4 + (header & 0x7fffffff) + blockChecksum;
  }
  if (window.length === 0 && !isWhole) return null;
  // Another frame behind the first is not read.
  const end = at + 4 + ((flags & 4) !== 0 ? 4 : 0);
  const isAll = isWhole && end >= input.length;
  return { bytes: Buffer.from(window.bytes.subarray(0, window.length)), truncated: isCut || !isAll };
};

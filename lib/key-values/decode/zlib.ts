import 'server-only';
import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  unzipSync,
} from 'node:zlib';
import { type Decoded, MAX_OUTPUT_BYTES, Output } from './output';

const FORMATS = {
  // A cut input gives what it has instead of an error.
  gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  zlib: () => createInflate({ finishFlush: constants.Z_SYNC_FLUSH }),
  deflate: () => createInflateRaw(),
  brotli: () => createBrotliDecompress(),
} as const satisfies Record<string, () => Transform>;

/** Whether gzip or zlib data has its end and its checksum: without an error for cut input, only a second run tells. */
const isComplete = (input: Uint8Array, max: number): boolean => {
  try {
    unzipSync(input, { maxOutputLength: max });
    return true;
  } catch {
    return false;
  }
};

/** Decompresses until the limit of the output. Null where the input is not of this format from its beginning. */
export const inflate = async (
  format: keyof typeof FORMATS,
  input: Uint8Array,
  isCut: boolean,
  max = MAX_OUTPUT_BYTES,
): Promise<Decoded | null> => {
  const output = new Output(max);
  const toleratesCut = format === 'gzip' || format === 'zlib';
  const stream = FORMATS[format]();
  stream.end(input);
  try {
    for await (const chunk of stream) if (!output.add(chunk as Buffer)) break;
    const truncated = isCut || output.isFull || (toleratesCut && !isComplete(input, max));
    return truncated && output.isEmpty ? null : { bytes: output.bytes(), truncated };
  } catch {
    return toleratesCut && !output.isEmpty ? { bytes: output.bytes(), truncated: true } : null;
  } finally {
    stream.destroy();
  }
};

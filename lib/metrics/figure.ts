import 'server-only';
import { MAX_NUMBER_BYTES, numberIn } from './number';

/** A value as it is stored: a number, or the beginning of something else. */
export interface Figure {
  value: number | null;
  /** Of what is no number. */
  beginning: Buffer | null;
  /** Bytes of the complete value. */
  length: number;
  problem: 'notANumber' | 'tooLong' | null;
}

/** `bytes` may be a beginning: `length` is that of the complete value. */
export const figureOf = (bytes: Buffer, length: number): Figure => {
  const value = bytes.length === length ? numberIn(bytes) : null;
  if (value !== null) return { value, beginning: null, length, problem: null };
  return {
    ...{ value: null, beginning: bytes, length },
    problem: length > MAX_NUMBER_BYTES ? 'tooLong' : 'notANumber',
  };
};

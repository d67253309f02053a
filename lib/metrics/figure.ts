import 'server-only';
import { MAX_NUMBER_BYTES, numberIn } from './number';

/** A value as it is stored: a number, or the beginning of something else. */
export interface Figure {
  value: number | null;
  /** The digits of an integer that JavaScript rounds. */
  digits: string | null;
  /** The beginning of any other text. */
  beginning: Buffer | null;
  /** Bytes of the complete value. */
  length: number;
  problem: 'notANumber' | 'tooLong' | null;
}

/** `bytes` may be a beginning: `length` is that of the complete value. */
export const figureOf = (bytes: Buffer, length: number): Figure => {
  const value = bytes.length === length ? numberIn(bytes) : null;
  if (value !== null) {
    const isKept = !Number.isInteger(value) || Number.isSafeInteger(value);
    const digits = isKept ? null : bytes.toString('latin1').replace(/^\+/, '');
    return { value, digits, beginning: null, length, problem: null };
  }
  return {
    value: null,
    digits: null,
    beginning: bytes,
    length,
    problem: length > MAX_NUMBER_BYTES ? 'tooLong' : 'notANumber',
  };
};

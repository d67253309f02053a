import 'server-only';

/** A whole number: a bigint only where JavaScript's number would round it. Both compare with each other. */
export type Whole = number | bigint;

export const wholeOf = (digits: string | bigint): Whole => {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
};

export const sumOf = (a: Whole, b: Whole): Whole => {
  const sum = typeof a === 'number' && typeof b === 'number' ? a + b : Number.NaN;
  return Number.isSafeInteger(sum) ? sum : wholeOf(BigInt(a) + BigInt(b));
};

/** A number for JSON, and its digits where a JSON number is not exact (from 2^53). */
export const exactly = (whole: Whole): { value: number; exact: string | null } => ({
  value: Number(whole),
  exact: typeof whole === 'bigint' ? String(whole) : null,
});

const UNKNOWN = { value: null, exact: null };

export const exactlyIfKnown = (whole: Whole | null) => (whole === null ? UNKNOWN : exactly(whole));

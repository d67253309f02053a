import 'server-only';
/** No number that an application writes is longer. */
export const MAX_NUMBER_BYTES = 32;

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** A number in decimal digits, with or without an exponent; null for any other text. Beyond 2^53 it is rounded. */
export const numberIn = (bytes: Uint8Array): number | null => {
  if (bytes.length > MAX_NUMBER_BYTES) return null;
  const text = Buffer.from(bytes).toString('latin1');
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : null;
};

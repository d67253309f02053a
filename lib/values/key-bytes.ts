import 'server-only';

const MIN_BINARY_KEY_LENGTH = 16;
const MAX_CHECKED_BYTES = 4096;

/** Whether bytes that are not text may be a binary key: at least 16, with high entropy. */
export const looksLikeKeyBytes = (bytes: Uint8Array): boolean => {
  const part = bytes.subarray(0, MAX_CHECKED_BYTES);
  if (part.length < MIN_BINARY_KEY_LENGTH) return false;
  const counts = new Map<number, number>();
  for (const byte of part) counts.set(byte, (counts.get(byte) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / part.length) * Math.log2(count / part.length);
  return bits >= 0.85 * Math.log2(Math.min(part.length, 256));
};

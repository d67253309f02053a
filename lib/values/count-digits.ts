import 'server-only';

const MAX_INT64 = '9223372036854775807';

/** The digits of a count that HINCRBY accepts and that is not negative; null for any other value. */
export const countDigits = (value: Buffer): string | null => {
  if (value.length > MAX_INT64.length) return null;
  const text = value.toString('latin1');
  if (!/^(0|[1-9]\d*)$/.test(text)) return null;
  return text.length === MAX_INT64.length && text > MAX_INT64 ? null : text;
};

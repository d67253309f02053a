import 'server-only';

/** A plain number is a time only in these years: 2001 up to and including 2100, in Unix seconds. */
const FIRST = 978_307_200;
const LAST = 4_133_980_799;

/** Digits of a Unix time → its units per second. */
const UNITS: Readonly<Record<number, number>> = {
  9: 1,
  10: 1,
  12: 1e3,
  13: 1e3,
  15: 1e6,
  16: 1e6,
  18: 1e9,
  19: 1e9,
};

const NUMBER = /^(\d{9,19})(\.\d{1,9})?$/;

const fromNumber = (digits: string, fraction: string): number | null => {
  const unit = UNITS[digits.length];
  if (unit === undefined || (fraction !== '' && unit !== 1)) return null;
  const seconds = Number(digits + fraction) / unit;
  return seconds >= FIRST && seconds <= LAST ? Math.floor(seconds * 1000) : null;
};

/**
 * ISO 8601, RFC 3339 with up to nanoseconds, `YYYY-MM-DD HH:mm:ss`, and Go's format: offset, zone, and optionally the
 * monotonic clock's reading.
 */
const DATE_TIME =
  /^(\d{4})([-/])(\d{2})\2(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(Z|UTC|[+-]\d{2}:?\d{2})?(?: [A-Z]{1,5}| [+-]\d{2,4})?(?: m=[+-][\d.]{1,30})?$/;

/** Minutes east of UTC. Without an offset a time is UTC. */
const offsetOf = (text: string | undefined): number => {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(text ?? '') ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
};

/** Go's zero time, and others of the first centuries, mean "none". */
const FIRST_YEAR = 1000;

const fromDateTime = (text: string): number | null => {
  const [, year, , month, day, hour, minute, second = '0', fraction = '', offset] =
    DATE_TIME.exec(text) ?? [];
  if (year === undefined || Number(year) < FIRST_YEAR) return null;
  const parts = [year, month, day, hour, minute, second].map(Number) as [number, number, ...number[]];
  const [, of12, of31, of24, of60, last] = parts as [number, number, number, number, number, number];
  const utc = Date.UTC(parts[0], of12 - 1, of31, of24, of60, last);
  const isDay = new Date(Date.UTC(parts[0], of12 - 1, of31)).getUTCDate() === of31;
  if (of12 < 1 || of12 > 12 || !isDay || of24 > 23 || of60 > 59 || last > 59) return null;
  return utc + Number(fraction.padEnd(3, '0').slice(0, 3)) - offsetOf(offset) * 60_000;
};

/** Longer text is never a time. */
const MAX_LENGTH = 80;

/** Epoch milliseconds; null for text that is not a time. */
export const readTime = (text: string): number | null => {
  if (text.length > MAX_LENGTH) return null;
  const trimmed = text.trim();
  const [, digits, fraction = ''] = NUMBER.exec(trimmed) ?? [];
  return digits === undefined ? fromDateTime(trimmed) : fromNumber(digits, fraction);
};

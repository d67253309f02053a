/** Time conversions: epoch milliseconds inside, ISO 8601 UTC in responses. */

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const iso = (epochMs: number): string => new Date(epochMs).toISOString();

/** For sentences: "2026-05-04 13:05:09 UTC". */
export const utcText = (epochMs: number): string => `${iso(epochMs).slice(0, -5).replace('T', ' ')} UTC`;

/** ISO 8601 writes years outside 0 to 9999 as `+055840-…`, which no reader expects. */
const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Null also for times outside the years 0 to 9999: applications write anything into their fields. */
export const isoOrNull = (epochMs: number | null | undefined): string | null =>
  epochMs == null || !(epochMs >= FIRST && epochMs <= LAST) ? null : iso(epochMs);

/** Unix seconds as applications write them (a decimal string, perhaps with a fraction); null when invalid. */
export const unixSeconds = (text: string | null | undefined): number | null => {
  if (!text || !/^\d{1,12}(\.\d+)?$/.test(text)) return null;
  return Number(text) * SECOND;
};

/** PTTL's reply as seconds, rounded up: null for no expiry, undefined for no such key. */
export const ttlSeconds = (pttl: number): number | null | undefined => {
  if (pttl === -2) return undefined;
  return pttl < 0 ? null : Math.ceil(pttl / SECOND);
};

/** Compares by an ISO time; rows without one come last in both directions. */
export const byTime =
  <T>(time: (item: T) => string | null, order: 'asc' | 'desc') =>
  (a: T, b: T): number => {
    const [x, y] = [time(a), time(b)];
    if (x === y) return 0;
    if (x === null) return 1;
    if (y === null) return -1;
    return x < y === (order === 'asc') ? -1 : 1;
  };

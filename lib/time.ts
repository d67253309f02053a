/** Time at the edges: epoch milliseconds inside, ISO 8601 UTC on the wire. */

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const iso = (epochMs: number): string => new Date(epochMs).toISOString();

export const isoOrNull = (epochMs: number | null | undefined): string | null =>
  epochMs === null || epochMs === undefined || !Number.isFinite(epochMs) || Math.abs(epochMs) > 8.64e15
    ? null
    : iso(epochMs);

/** Unix seconds as applications write them (a decimal string, perhaps with a fraction); null when unreadable. */
export const unixSeconds = (text: string | null | undefined): number | null => {
  if (!text || !/^\d{1,12}(\.\d+)?$/.test(text)) return null;
  return Number(text) * SECOND;
};

/** PTTL's reply as seconds, rounded up: null "does not expire", undefined "no such key". */
export const ttlSeconds = (pttl: number): number | null | undefined => {
  if (pttl === -2) return undefined;
  return pttl < 0 ? null : Math.ceil(pttl / SECOND);
};

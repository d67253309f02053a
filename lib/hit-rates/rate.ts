/** A hit rate of fewer look-ups is noise and not shown. This limit is defined here only. */
export const MIN_LOOKUPS = 20;

/** Hits as a share of look-ups, 0–1; null when nothing was looked up. */
export const exactRate = (hits: number, misses: number): number | null =>
  hits + misses > 0 ? hits / (hits + misses) : null;

/** Whether there were look-ups, but too few for a hit rate. */
export const isTooFew = (hits: number, misses: number): boolean =>
  hits + misses > 0 && hits + misses < MIN_LOOKUPS;

/** A hit rate to show, 0–1; null for fewer than `MIN_LOOKUPS` look-ups. */
export const readableRate = (hits: number, misses: number): number | null =>
  hits + misses < MIN_LOOKUPS ? null : exactRate(hits, misses);

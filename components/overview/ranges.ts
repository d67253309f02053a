/** How far back the page looks, and in which steps: coarser for longer, never more points than pixels. */
export const RANGES = {
  '1h': { spanMs: 3_600_000, stepSeconds: 10, refetchMs: 10_000 },
  '24h': { spanMs: 86_400_000, stepSeconds: 60, refetchMs: 60_000 },
  '7d': { spanMs: 7 * 86_400_000, stepSeconds: 600, refetchMs: 300_000 },
  '30d': { spanMs: 30 * 86_400_000, stepSeconds: 3600, refetchMs: 600_000 },
} as const;

export type RangeId = keyof typeof RANGES;

export const RANGE_IDS = Object.keys(RANGES) as RangeId[];

export const rangeOf = (text: string): RangeId => (text in RANGES ? (text as RangeId) : '1h');

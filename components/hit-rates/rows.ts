import type { FamilyHitRates, HitRatePoint } from '@/lib/caches/hit-rates/schema';
import type { FamilyRow } from '@/lib/insights/schema';

/** A row of the table: figures of a family, or that there are none. */
export type RateRow = Omit<FamilyHitRates, 'points'> & { points: readonly HitRatePoint[] };

const NO_FIGURE = {
  points: [],
  hits: 0,
  misses: 0,
  hitRate: null,
  source: 'none',
  coverage: null,
  error: null,
  n: 0,
  tooFew: false,
  windowSeconds: 0,
  missesPerSecond: null,
  originLoadPerSecond: null,
} as const;

/** The families with figures as the server put them, worst first, then the caches of which there are none. */
export const rowsOf = (figures: readonly FamilyHitRates[], families: readonly FamilyRow[]): RateRow[] => {
  const known = new Set(figures.map(({ family }) => family));
  const unknown = families
    .filter(({ cache, family }) => cache && !known.has(family))
    .map(({ family, title, cache }): RateRow => ({ family, title, cache, ...NO_FIGURE }));
  return [...figures, ...unknown];
};

/** Columns one can sort by, each with what it puts in order; unknown is last, whichever way round. */
const ORDERS = {
  missesPerSecond: (row: RateRow) => row.missesPerSecond,
  hitRate: (row: RateRow) => row.hitRate,
  n: (row: RateRow) => (row.source === 'none' ? null : row.n),
  originLoad: (row: RateRow) => row.originLoadPerSecond,
};

export const sorted = (rows: readonly RateRow[], by: string, order: 'asc' | 'desc'): RateRow[] => {
  const value = ORDERS[by as keyof typeof ORDERS] ?? ORDERS.missesPerSecond;
  const sign = order === 'asc' ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (x - y);
  });
};

const median = (values: readonly number[]): number | null =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;

/** Seconds that were observed in a usual step of `stepSeconds`; null where no step was. */
export const observedPerStep = (points: readonly HitRatePoint[]): number | null =>
  median(points.map(({ windowSeconds }) => windowSeconds).filter((seconds) => seconds > 0));

/**
 * How far apart points of windows are, ms: windows may be rarer than steps. Only what is further apart than this is a
 * gap.
 */
export const spacingOf = (points: readonly { at: string }[], stepMs: number): number => {
  const times = points.map(({ at }) => Date.parse(at));
  const apart = times.slice(1).map((at, i) => at - times[i]!);
  return Math.max(stepMs, median(apart) ?? stepMs);
};

import { byFigure } from '@/components/patterns/by-figure';
import type { FamilyRow } from '@/lib/families/schema';
import type { FamilyHitRates, HitRatePoint } from '@/lib/hit-rates/schema';

/** A row of the table: the figures of a family, or `source: 'none'` where there are none. */
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

/** The families with figures in the server's order (most misses first), then the caches without figures. */
export const rowsOf = (figures: readonly FamilyHitRates[], families: readonly FamilyRow[]): RateRow[] => {
  const known = new Set(figures.map(({ family }) => family));
  const unknown = families
    .filter(({ cache, family }) => cache && !known.has(family))
    .map(({ family, title, cache }): RateRow => ({ family, title, cache, ...NO_FIGURE }));
  return [...figures, ...unknown];
};

/** The sortable columns, each with the figure it sorts by. */
const ORDERS = {
  missesPerSecond: (row: RateRow) => row.missesPerSecond,
  hitRate: (row: RateRow) => row.hitRate,
  n: (row: RateRow) => (row.source === 'none' ? null : row.n),
  originLoad: (row: RateRow) => row.originLoadPerSecond,
};

export const sorted = (rows: readonly RateRow[], by: string, order: 'asc' | 'desc'): RateRow[] =>
  byFigure(rows, ORDERS[by as keyof typeof ORDERS] ?? ORDERS.missesPerSecond, order);

/** Median of the seconds observed in a step that was observed; null when none was. */
export const observedPerStep = (points: readonly HitRatePoint[]): number | null => {
  const observed = points.map(({ windowSeconds }) => windowSeconds).filter((seconds) => seconds > 0);
  return observed.toSorted((a, b) => a - b)[Math.floor(observed.length / 2)] ?? null;
};

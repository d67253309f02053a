import type { FamilyHitRates, HitRatePoint } from '@/lib/hit-rates/schema';

const MIN_LOOKUPS = 20;

/** A point of one minute in the server's form; `second` is its start. */
export const pointOf = (second: number, hits: number, misses: number): HitRatePoint => ({
  at: new Date(second * 1000).toISOString(),
  to: new Date((second + 60) * 1000).toISOString(),
  ...countsOf(hits, misses, 1),
});

export const countsOf = (hits: number, misses: number, windowSeconds: number) => {
  const n = hits + misses;
  const enough = n >= MIN_LOOKUPS;
  const counts = { hits, misses, n, windowSeconds, tooFew: n > 0 && !enough };
  return { ...counts, hitRate: enough ? hits / n : null, error: enough ? 0.1 : null };
};

/** A family sampled by windows, with the sums of its points. */
export const rowOf = (
  family: string,
  points: HitRatePoint[],
  change: Partial<FamilyHitRates> = {},
): FamilyHitRates => {
  const sum = (of: (point: HitRatePoint) => number) => points.reduce((total, point) => total + of(point), 0);
  const seconds = sum(({ windowSeconds }) => windowSeconds);
  const misses = sum((point) => point.misses);
  return {
    family,
    title: family.toUpperCase(),
    cache: true,
    ...countsOf(
      sum(({ hits }) => hits),
      misses,
      seconds,
    ),
    source: 'sample',
    coverage: 1,
    missesPerSecond: seconds > 0 ? misses / seconds : null,
    originLoadPerSecond: seconds > 0 ? misses / seconds : null,
    ...change,
    points,
  };
};

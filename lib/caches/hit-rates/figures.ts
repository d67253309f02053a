import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import { hitRate } from '@/lib/history/bucket';
import { type FamilySums, groupSpans, type HitRateSpan } from '@/lib/history/hit-rates';
import { iso } from '@/lib/time';
import { APPLICATION } from './counters';
import { errorOf } from './error';
import type { FamilyHitRates, HitRatePoint, Source } from './schema';
import { UNCLASSIFIED } from './window-counts';

const NOTHING: FamilySums = [0, 0, 0, 0, 0, 0];

/** Where nothing was looked up in a family the others were: its points of that time are zeros, not gaps. */
const pointsOf = (id: string, steps: readonly HitRateSpan[]): HitRatePoint[] =>
  steps.map((step) => {
    const [hits, misses] = step.families[id] ?? NOTHING;
    return { at: iso(step.at), hits, misses, hitRate: hitRate(hits, misses), windowSeconds: step.seconds };
  });

const sumOf = (id: string, steps: readonly HitRateSpan[]): FamilySums =>
  steps.reduce(
    (sum, { families }) => sum.map((value, i) => value + (families[id]?.[i] ?? 0)) as FamilySums,
    NOTHING,
  );

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Share of the lookups of the windows that families account for. */
export const coverageOfSpans = (spans: readonly HitRateSpan[]): number | null => {
  const all = spans.reduce((sum, { total }) => sum + total[0] + total[1], 0);
  if (all <= 0) return null;
  const left = spans.reduce((sum, { left }) => sum + Math.abs(left[0]) + Math.abs(left[1]), 0);
  return Math.max(0, 1 - left / all);
};

export interface Observed {
  sample: readonly HitRateSpan[];
  counters: readonly HitRateSpan[];
}

const figuresOf = (
  catalog: Registry,
  id: string,
  source: Source,
  steps: readonly HitRateSpan[],
  coverage: number | null,
): FamilyHitRates => {
  const family = catalog.get(id);
  const sums = sumOf(id, steps);
  const [hits, misses] = sums;
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
  const missesPerSecond = seconds > 0 ? round(misses / seconds) : null;
  const cache = family?.cache ?? false;
  return {
    family: id,
    title: family?.title ?? id,
    cache,
    points: pointsOf(id, steps),
    hits,
    misses,
    hitRate: hitRate(hits, misses),
    source,
    coverage: source === 'counters' ? null : coverage,
    error: source === 'counters' ? (hits + misses > 0 ? 0 : null) : errorOf(sums),
    n: hits + misses,
    windowSeconds: round(seconds),
    missesPerSecond,
    originLoadPerSecond: cache ? missesPerSecond : null,
  };
};

/**
 * Figures per family, most misses a second first. The application's own counters win over windows, family by family:
 * they miss nothing. Families nobody looked up in the range are not there.
 */
export const familyFigures = (
  catalog: Registry,
  { sample, counters }: Observed,
  stepMs: number,
): FamilyHitRates[] => {
  const exact = groupSpans(counters, stepMs);
  const seen = groupSpans(sample, stepMs);
  const coverage = coverageOfSpans(sample);
  const sampled = new Set(seen.flatMap(({ families }) => Object.keys(families)));
  const counted = new Set(exact.flatMap(({ families }) => Object.keys(families)));
  counted.delete(APPLICATION);
  // Counters that stand still are nobody's any more, where windows saw the family looked up.
  for (const id of counted) {
    const [hits, misses] = sumOf(id, exact);
    if (hits + misses === 0 && sampled.has(id)) counted.delete(id);
  }
  const known = (id: string): boolean => id === UNCLASSIFIED || catalog.get(id) !== undefined;
  const rows = [
    ...[...counted].map((id) => figuresOf(catalog, id, 'counters', exact, null)),
    ...[...sampled]
      .filter((id) => !counted.has(id))
      .map((id) => figuresOf(catalog, id, 'sample', seen, coverage)),
  ];
  return rows
    .filter(({ family }) => known(family))
    .sort((a, b) => (b.missesPerSecond ?? 0) - (a.missesPerSecond ?? 0) || a.family.localeCompare(b.family));
};

/** The application's own count over all families; null where it keeps none. */
export const applicationFigures = (counters: readonly HitRateSpan[], stepMs: number) => {
  const steps = groupSpans(
    counters.filter(({ families }) => families[APPLICATION]),
    stepMs,
  );
  if (steps.length === 0) return null;
  const [hits, misses] = sumOf(APPLICATION, steps);
  return {
    label: 'application' as const,
    points: pointsOf(APPLICATION, steps),
    hits,
    misses,
    hitRate: hitRate(hits, misses),
  };
};

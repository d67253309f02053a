import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import { APPLICATION } from './counters';
import { type CountedSource, lookupCounts, round, secondsOf, sumsOf } from './lookup-counts';
import { readablePoints } from './points';
import type { FamilyHitRates } from './schema';
import { groupSpans, type HitRateSpan } from './spans';
import { UNCLASSIFIED } from './window-counts';

/** The share of the windows' lookups that belongs to families. */
export const coverageOfSpans = (spans: readonly HitRateSpan[]): number | null => {
  const lookups = spans.reduce((sum, { total }) => sum + total[0] + total[1], 0);
  if (lookups <= 0) return null;
  const left = spans.reduce((sum, { left }) => sum + Math.abs(left[0]) + Math.abs(left[1]), 0);
  return Math.max(0, 1 - left / lookups);
};

export type Observed = Record<CountedSource, readonly HitRateSpan[]>;

/**
 * The source of each family with look-ups. The application's own counters take precedence over windows, because they
 * are complete.
 */
export const sourcesOf = (catalog: Registry, { sample, counters }: Observed): Map<string, CountedSource> => {
  const idsIn = (spans: readonly HitRateSpan[]) => spans.flatMap(({ families }) => Object.keys(families));
  const sources = new Map<string, CountedSource>(idsIn(sample).map((id) => [id, 'sample']));
  for (const id of new Set(idsIn(counters))) {
    const [hits, misses] = sumsOf(id, counters);
    // Counters that do not grow although windows had look-ups are no longer written by the application.
    if (hits + misses > 0 || !sources.has(id)) sources.set(id, 'counters');
  }
  for (const id of sources.keys())
    if (id === APPLICATION || (id !== UNCLASSIFIED && !catalog.get(id))) sources.delete(id);
  return sources;
};

interface Steps {
  source: CountedSource;
  spans: readonly HitRateSpan[];
  /** Null: without points. */
  stepMs: number | null;
}

const figuresOf = (
  catalog: Registry,
  id: string,
  { source, spans, stepMs }: Steps,
  coverage: number | null,
): FamilyHitRates => {
  const family = catalog.get(id);
  const counts = lookupCounts(source, sumsOf(id, spans), secondsOf(spans));
  const { windowSeconds, misses } = counts;
  const missesPerSecond = windowSeconds > 0 ? round(misses / windowSeconds) : null;
  const cache = family?.cache ?? false;
  return {
    family: id,
    title: family?.title ?? id,
    cache,
    source,
    ...counts,
    points: stepMs === null ? [] : readablePoints(id, source, spans, stepMs),
    coverage: source === 'counters' ? null : coverage,
    missesPerSecond,
    originLoadPerSecond: cache ? missesPerSecond : null,
  };
};

/**
 * Figures per family, sorted by misses per second; with points if a step is given. Families without look-ups in the
 * range are omitted.
 */
export const familyFigures = (
  catalog: Registry,
  observed: Observed,
  stepMs: number | null,
): FamilyHitRates[] => {
  const stepsOf = (spans: readonly HitRateSpan[]) => (stepMs === null ? spans : groupSpans(spans, stepMs));
  const steps = { sample: stepsOf(observed.sample), counters: stepsOf(observed.counters) };
  const coverage = coverageOfSpans(observed.sample);
  return [...sourcesOf(catalog, observed)]
    .map(([id, source]) => figuresOf(catalog, id, { source, spans: steps[source], stepMs }, coverage))
    .sort((a, b) => (b.missesPerSecond ?? 0) - (a.missesPerSecond ?? 0) || a.family.localeCompare(b.family));
};

/** The application's own count over all families; null where it has none. */
export const applicationFigures = (counters: readonly HitRateSpan[], stepMs: number) => {
  const spans = groupSpans(
    counters.filter(({ families }) => families[APPLICATION]),
    stepMs,
  );
  if (spans.length === 0) return null;
  const { hits, misses, hitRate } = lookupCounts('counters', sumsOf(APPLICATION, spans), secondsOf(spans));
  const points = readablePoints(APPLICATION, 'counters', spans, stepMs);
  return { label: 'application' as const, points, hits, misses, hitRate };
};

import type { Sample } from '@/components/charts/gaps';
import type { Point } from '@/lib/history/schema';

const ratio = (hits: number, misses: number): number | null =>
  hits + misses > 0 ? hits / (hits + misses) : null;

const mean = (points: readonly Point[], pick: (point: Point) => number | null): number | null => {
  const known = points.map(pick).filter((value) => value !== null);
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
};

const total = (points: readonly Point[], pick: (point: Point) => number): number =>
  points.reduce((sum, point) => sum + pick(point), 0);

export const toSample = (point: Point): Sample => ({
  at: Date.parse(point.at),
  hitRate: point.hitRate,
  opsPerSecond: point.opsPerSecond,
  usedMemoryBytes: point.usedMemoryBytes,
  latencyMs: point.latencyMs,
  evictedPerSecond: point.evictedPerSecond,
  expiredPerSecond: point.expiredPerSecond,
});

/** Points of a second as one sample of a step: rates from their counts, not from their rates. */
const joined = (at: number, points: readonly Point[]): Sample => ({
  at,
  hitRate: ratio(
    total(points, (p) => p.hits),
    total(points, (p) => p.misses),
  ),
  opsPerSecond: mean(points, (p) => p.opsPerSecond),
  usedMemoryBytes: points.at(-1)!.usedMemoryBytes,
  latencyMs: mean(points, (p) => p.latencyMs),
  evictedPerSecond: mean(points, (p) => p.evictedPerSecond),
  expiredPerSecond: mean(points, (p) => p.expiredPerSecond),
});

/** History, and after its end what came live, in the same steps; the last sample may still be growing. */
export const joinLive = (history: readonly Point[], live: readonly Point[], stepMs: number): Sample[] => {
  const samples = history.map(toSample);
  const end = samples.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  const steps = new Map<number, Point[]>();
  for (const point of live) {
    const step = Math.floor(Date.parse(point.at) / stepMs) * stepMs;
    if (step <= end) continue;
    steps.set(step, [...(steps.get(step) ?? []), point]);
  }
  for (const [at, points] of steps) samples.push(joined(at, points));
  return samples;
};

/** The hit rate of a whole range, from its counts; null when nothing was counted. */
export const rangeHitRate = (points: readonly Point[]): number | null =>
  ratio(
    total(points, (p) => p.hits),
    total(points, (p) => p.misses),
  );

export const rangeOps = (points: readonly Point[]): number | null => mean(points, (p) => p.opsPerSecond);

/** Which part of a range was sampled, 0–1. */
export const coverageOf = (samples: readonly Sample[], from: number, to: number, stepMs: number): number =>
  to > from
    ? Math.min(1, (samples.filter(({ at }) => at >= from && at <= to).length * stepMs) / (to - from))
    : 0;

const LEAST_SHOWN_MS = 5 * 60_000;

/** Where a chart of a range begins: with the history, where that is younger than the range, five minutes at least. */
export const shownFrom = (samples: readonly Sample[], from: number, to: number): number =>
  Math.max(from, Math.min(samples[0]?.at ?? from, to - LEAST_SHOWN_MS));

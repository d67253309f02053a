import type { Sample } from '@/components/charts/gaps';
import { figureOf, toSample } from '@/components/charts/history-samples';
import type { Point } from '@/lib/history/schema';

/** Fields that are aggregated over a step; the others have their value at its end. */
const AGGREGATED = [
  'hitRate',
  'hits',
  'misses',
  'opsPerSecond',
  'latencyMs',
  'evictedPerSecond',
  'expiredPerSecond',
] as const;

/** Joins points of one second into one sample: rates are computed from counts, not averaged. */
const joined = (at: number, points: readonly Point[]): Sample => ({
  ...toSample(points.at(-1)!),
  at,
  ...Object.fromEntries(AGGREGATED.map((field) => [field, figureOf(points, field)])),
});

/** The history followed by live points in the same steps; the last sample may be incomplete. */
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

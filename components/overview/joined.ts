import type { Sample } from '@/components/charts/gaps';
import { figureOf, toSample } from '@/components/charts/history-samples';
import type { Point } from '@/lib/history/schema';

/** What a step has one figure of; levels are those at its end. */
const MEANT = [
  'hitRate',
  'hits',
  'misses',
  'opsPerSecond',
  'latencyMs',
  'evictedPerSecond',
  'expiredPerSecond',
] as const;

/** Points of a second as one sample of a step: rates from their counts, not from their rates. */
const joined = (at: number, points: readonly Point[]): Sample => ({
  ...toSample(points.at(-1)!),
  at,
  ...Object.fromEntries(MEANT.map((field) => [field, figureOf(points, field)])),
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

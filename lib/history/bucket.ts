import 'server-only';
import { z } from 'zod';
import { exactRate, readableRate } from '@/lib/hit-rates/rate';
import { iso, SECOND } from '@/lib/time';
import type { Point } from './schema';
import { groupTimed } from './timed-stream';

/** Spans of measurements: how they are joined, and how one becomes a point. Pure. */

/** One span. Counts cover the span; gauges hold the last values. */
export const bucketSchema = z.object({
  /** Start, epoch ms. */
  at: z.number(),
  /** Observed time, ms: less than the step where samples are missing. */
  observedMs: z.number(),
  hits: z.number(),
  misses: z.number(),
  commands: z.number(),
  evicted: z.number(),
  expired: z.number(),
  netInBytes: z.number(),
  netOutBytes: z.number(),
  usedMemoryBytes: z.number(),
  connectedClients: z.number(),
  latencyMs: z.number().nullable(),
});
export type Bucket = z.output<typeof bucketSchema>;

/** Joins two spans; gauges come from the later one. */
export const joinBuckets = (a: Bucket, b: Bucket): Bucket => ({
  at: a.at,
  observedMs: a.observedMs + b.observedMs,
  hits: a.hits + b.hits,
  misses: a.misses + b.misses,
  commands: a.commands + b.commands,
  evicted: a.evicted + b.evicted,
  expired: a.expired + b.expired,
  netInBytes: a.netInBytes + b.netInBytes,
  netOutBytes: a.netOutBytes + b.netOutBytes,
  usedMemoryBytes: b.usedMemoryBytes,
  connectedClients: b.connectedClients,
  latencyMs: b.latencyMs,
});

/** Groups spans into steps that start at multiples of `stepMs`. Steps without observations are absent. */
export const group = (buckets: readonly Bucket[], stepMs: number): Bucket[] =>
  groupTimed(buckets, stepMs, joinBuckets);

/** The combined figures of several spans; nulls where nothing was observed. */
export const ratesOf = (
  spans: readonly Bucket[],
): { hitRate: number | null; opsPerSecond: number | null } => {
  const sum = (pick: (span: Bucket) => number): number =>
    spans.reduce((total, span) => total + pick(span), 0);
  const observedMs = sum((span) => span.observedMs);
  return {
    hitRate: readableRate(
      sum((span) => span.hits),
      sum((span) => span.misses),
    ),
    opsPerSecond: observedMs > 0 ? Math.round((sum((span) => span.commands) * SECOND) / observedMs) : null,
  };
};

const round = (value: number): number => Math.round(value * 100) / 100;

export const toPoint = (bucket: Bucket): Point => {
  const perSecond = (count: number): number =>
    bucket.observedMs > 0 ? round((count * SECOND) / bucket.observedMs) : 0;
  return {
    at: iso(bucket.at),
    hits: bucket.hits,
    misses: bucket.misses,
    hitRate: exactRate(bucket.hits, bucket.misses),
    opsPerSecond: perSecond(bucket.commands),
    usedMemoryBytes: bucket.usedMemoryBytes,
    connectedClients: bucket.connectedClients,
    evictedPerSecond: perSecond(bucket.evicted),
    expiredPerSecond: perSecond(bucket.expired),
    netInBytesPerSecond: perSecond(bucket.netInBytes),
    netOutBytesPerSecond: perSecond(bucket.netOutBytes),
    latencyMs: bucket.latencyMs === null ? null : round(bucket.latencyMs),
  };
};

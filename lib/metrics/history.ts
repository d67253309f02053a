import 'server-only';
import { z } from 'zod';
import { LEVELS_EVERY_MS, levelHistory, newestLevels, readLevels, recordLevels } from '@/lib/history/levels';
import type { Span } from '@/lib/history/schema';
import { RESOLUTIONS, readSpans } from '@/lib/history/spans';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import type { Store } from '@/lib/redis/store';
import { MINUTE, SECOND } from '@/lib/time';

/** One sample of all metrics of a connection: values by `seriesIdOf`. `at`: epoch ms. */
const sampleSchema = z.object({ at: z.number(), v: z.record(z.string(), z.number()) });
export type MetricSample = z.output<typeof sampleSchema>;

const metricHistory = levelHistory<MetricSample>({
  key: (connection, resolution) => consoleFamilies.metricHistory.key({ connection, resolution }),
  kept: sampleSchema.omit({ at: true }),
});

export const recordMetrics = (store: Store, connection: string, sample: MetricSample): Promise<void> =>
  recordLevels(metricHistory, store, connection, sample);

/** They are sampled every ten seconds. */
export const newestMetrics = (store: Store, connection: string, now: number): Promise<MetricSample | null> =>
  newestLevels(metricHistory, store, connection, { now, maxAgeMs: MINUTE });

/** The points of one figure. A step in which it was not sampled has no point. */
export const readMetricLevels = async (
  store: Store,
  connection: string,
  seriesId: string,
  range: Span & { now: number },
): Promise<{ points: { at: string; value: number }[]; stepSeconds: number }> => {
  const { points, stepSeconds } = await readLevels(metricHistory, store, connection, range);
  return {
    points: points.flatMap(({ at, v }) => {
      const value = v[seriesId];
      return value === undefined ? [] : [{ at, value }];
    }),
    stepSeconds,
  };
};

/** Values beside a figure: ten minutes. */
const RECENT_STEPS = 60;
export const RECENT_STEP_SECONDS = LEVELS_EVERY_MS / SECOND;
/** Overviews ask every few seconds, and the samples change every ten. */
const SHARED_MS = 2 * SECOND;

/** The recent values of a figure in equal steps, oldest first; null where there is none. */
export type RecentValues = (seriesId: string) => (number | null)[];

const recent = sharedAnswer<RecentValues>('recent metrics', SHARED_MS);

const loadRecent = async (store: Store, connection: string, now: number): Promise<RecentValues> => {
  // The newest step may not be sampled yet: it would be a gap at the end of each line.
  const end = Math.floor(now / LEVELS_EVERY_MS) * LEVELS_EVERY_MS;
  const from = end - RECENT_STEPS * LEVELS_EVERY_MS;
  const spans = await readSpans(metricHistory, store, connection, {
    resolution: RESOLUTIONS[0],
    from,
    to: end - 1,
  });
  const samples = Array.from({ length: RECENT_STEPS }, (): MetricSample['v'] => ({}));
  for (const { at, v } of spans) samples[(at - from) / LEVELS_EVERY_MS] = v;
  return (seriesId) => samples.map((sample) => sample[seriesId] ?? null);
};

/** The samples of the last ten minutes, read once for all who ask within two seconds. */
export const recentValues = (store: Store, handle: ConnectionHandle, now: number): Promise<RecentValues> =>
  recent.of(handle, () => loadRecent(store, handle.config.id, now));

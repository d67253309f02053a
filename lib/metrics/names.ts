import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { HOUR } from '@/lib/time';

/** What a sampled series is called, as displayed: secrets are masked. `field` is '' for a metric. */
const name = z.object({ metric: z.string(), period: z.string(), field: z.string() });
export type SeriesName = z.output<typeof name>;

const names = z.record(z.string(), name);
/** By `seriesIdOf`: samples are stored under digests, and only a scan of the Redis could tell their names. */
export type SeriesNames = z.output<typeof names>;

const keyOf = (connection: string): Buffer => consoleFamilies.metricNames.key({ connection });

const KEPT_MS = HOUR;
/** How often they are stored although nothing changed. */
export const STORED_EVERY_MS = KEPT_MS / 4;

export const storeSeriesNames = (store: Store, connection: string, named: SeriesNames): Promise<void> =>
  store.use(async (redis) => {
    await redis.set(keyOf(connection), JSON.stringify(named), 'PX', KEPT_MS);
  });

export const readSeriesNames = (store: Store, connection: string): Promise<SeriesNames> =>
  store.use(async (redis) => parseStored(names, await redis.get(keyOf(connection))) ?? {});

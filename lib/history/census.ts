import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { Store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';

/** Keys of one family at the last count. */
export interface FamilyCount {
  keys: number;
  /** Estimated from a sample of keys (MEMORY USAGE); null when none could be measured. */
  memoryBytes: number | null;
  withoutTtl: number;
}

/** What a walk over the whole keyspace found. */
export interface Census {
  startedAt: number;
  finishedAt: number;
  families: Record<string, FamilyCount>;
  /** Keys of no family, with those outside a family's grammar. */
  unclassified: number;
  malformed: number;
  /** Error collector: projects whose window is full, under the default limit; null when that is unlimited. */
  limitedProjects: number | null;
}

const keyOf = (connection: string): Buffer => consoleFamilies.census.key({ connection });

export const writeCensus = (store: Store, connection: string, census: Census): Promise<void> =>
  store.use(async (redis) => {
    await redis.set(keyOf(connection), JSON.stringify(census), 'PX', 7 * DAY);
  });

export const readCensus = (store: Store, connection: string): Promise<Census | null> =>
  store.use(async (redis) => {
    const text = await redis.get(keyOf(connection));
    return text ? (JSON.parse(text) as Census) : null;
  });

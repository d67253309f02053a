import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';

/** One family in the last census. */
const familyCount = z.object({
  keys: z.number(),
  /** Estimated from a sample of keys (MEMORY USAGE); null when none could be measured. */
  memoryBytes: z.number().nullable(),
  withoutTtl: z.number(),
  /** Keys by Redis type, without keys that had expired. */
  types: z.record(z.string(), z.number()).optional(),
  /** Keys whose TTL contradicts the catalog, of the `of` keys whose TTL was read. */
  ttls: z
    .object({ of: z.number(), missing: z.number(), longer: z.number(), unexpected: z.number() })
    .optional(),
  /** Hashes that lack a documented field, by field, in a sample of `of` hashes. */
  fields: z.object({ of: z.number(), missing: z.record(z.string(), z.number()) }).optional(),
});
export type FamilyCount = z.output<typeof familyCount>;

/** Unclassified keys with a common prefix, as displayed: secrets are masked. */
const prefixCount = z.object({ prefix: z.string(), keys: z.number(), sample: z.array(z.string()) });
export type PrefixCount = z.output<typeof prefixCount>;

/** The result of a walk over the keyspace. Fields that earlier versions did not count are optional. */
const census = z.object({
  startedAt: z.number(),
  finishedAt: z.number(),
  families: z.record(z.string(), familyCount),
  /** Keys without a family. */
  unclassified: z.number(),
  malformed: z.number(),
  /** The largest prefixes of unclassified keys, by number of keys. */
  prefixes: z.array(prefixCount).optional(),
  /** Identifies the catalog that classified the keys (`fingerprintOf`). */
  catalog: z.string().optional(),
});
export type Census = z.output<typeof census>;

const keyOf = (connection: string): Buffer => consoleFamilies.census.key({ connection });

export const writeCensus = (store: Store, connection: string, counted: Census): Promise<void> =>
  store.use(async (redis) => {
    await redis.set(keyOf(connection), JSON.stringify(counted), 'PX', 7 * DAY);
  });

export const readCensus = (store: Store, connection: string): Promise<Census | null> =>
  store.use(async (redis) => parseStored(census, await redis.get(keyOf(connection))));

import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored, parseStoredHash } from '@/lib/stored-json';
import { iso } from '@/lib/time';
import { ruleId, type Waiver } from './schema';

export const storedWaiver = z.object({
  rule: ruleId,
  family: z.string().nullable(),
  who: z.string(),
  why: z.string(),
  /** Epoch ms. */
  until: z.number(),
});
export type StoredWaiver = z.output<typeof storedWaiver>;

const keyOf = (connection: string): Buffer => consoleFamilies.conventionWaivers.key({ connection });

export const readWaiver = (store: Store, connection: string, id: string): Promise<StoredWaiver | null> =>
  store.use(async (redis) => parseStored(storedWaiver, await redis.hget(keyOf(connection), id)));

/** The waivers recorded in the console, by end. */
export const readWaivers = async (store: Store, connection: string, now: number): Promise<Waiver[]> => {
  const stored = await store.use((redis) => redis.hgetall(keyOf(connection)));
  return parseStoredHash(storedWaiver, stored)
    .map(([id, waiver]) => ({ id, ...waiver }))
    .sort((a, b) => a.until - b.until || (a.id < b.id ? -1 : 1))
    .map(({ until, ...waiver }) => ({
      ...waiver,
      until: iso(until),
      source: 'console',
      expired: until <= now,
    }));
};

export const countWaivers = (store: Store, connection: string): Promise<number> =>
  store.use((redis) => redis.hlen(keyOf(connection)));

/** False where one with this id exists already. */
export const writeWaiver = (
  store: Store,
  connection: string,
  id: string,
  waiver: StoredWaiver,
): Promise<boolean> =>
  store.use(async (redis) => (await redis.hsetnx(keyOf(connection), id, JSON.stringify(waiver))) === 1);

/** False where there was none. */
export const deleteWaiver = (store: Store, connection: string, id: string): Promise<boolean> =>
  store.use(async (redis) => (await redis.hdel(keyOf(connection), id)) === 1);

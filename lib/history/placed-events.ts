import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';

export const placedEvent = z.object({
  /** Epoch ms. */
  at: z.number(),
  kind: z.enum(['annotation', 'expiry']),
  text: z.string(),
  href: z.string().nullable(),
  auditId: z.string().nullable(),
  family: z.string().nullable(),
});
/** An event that is recorded after it happened. A stream only accepts entries in order, so these are in a sorted set. */
export type PlacedEvent = z.output<typeof placedEvent>;

/** As long as the history itself is kept. */
export const EVENTS_KEPT_MS = 365 * DAY;
const MAX_STORED = 10_000;
const MAX_READ = 1000;

const keyOf = (connection: string): Buffer => consoleFamilies.placedEvents.key({ connection });

export const writePlacedEvent = (store: Store, connection: string, event: PlacedEvent): Promise<void> =>
  store.use(async (redis) => {
    const key = keyOf(connection);
    await redis
      .multi()
      .zadd(key, event.at, JSON.stringify(event))
      .zremrangebyscore(key, '-inf', Date.now() - EVENTS_KEPT_MS)
      .zremrangebyrank(key, 0, -MAX_STORED - 1)
      .exec();
  });

/** Returns whether it was still stored. */
export const removePlacedEvent = (store: Store, connection: string, event: PlacedEvent): Promise<boolean> =>
  store.use(async (redis) => (await redis.zrem(keyOf(connection), JSON.stringify(event))) === 1);

/** Events in [from, to], epoch ms, oldest first. */
export const readPlacedEvents = (
  store: Store,
  connection: string,
  from: number,
  to: number,
): Promise<PlacedEvent[]> =>
  store.use(async (redis) => {
    const rows = await redis.zrangebyscore(keyOf(connection), from, to, 'LIMIT', 0, MAX_READ);
    return rows.flatMap((row) => parseStored(placedEvent, row) ?? []);
  });

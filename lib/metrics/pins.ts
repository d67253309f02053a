import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { withoutStore } from '@/lib/redis/failure';
import { type Store, store } from '@/lib/redis/store';
import { parseFields, parseStored } from '@/lib/stored-json';
import { MAX_PINS } from './schema';

/** A pin as it is stored: names may be secrets, so both are as ids of the console. */
const storedPin = z.object({
  keyId: z.string(),
  fieldId: z.string().nullable(),
  /** The name of the field, sealed, in base64url. */
  field: z.string().nullable(),
  /** Epoch ms. */
  at: z.number(),
});
export type StoredPin = z.output<typeof storedPin>;

export interface Pin extends StoredPin {
  /** `seriesIdOf` of the figure. */
  id: string;
}

const keyOf = (connection: string, user: string): Buffer =>
  consoleFamilies.metricPins.key({ connection, id: user });

const pinnersOf = (connection: string): Buffer => consoleFamilies.metricPinners.key({ connection });

const pinsIn = (stored: Record<string, string>): Pin[] =>
  parseFields(storedPin, stored).map(([id, pin]) => ({ id, ...pin }));

/** In the order of pinning. */
export const readPins = async (store: Store, connection: string, user: string): Promise<Pin[]> => {
  const stored = await store.use((redis) => redis.hgetall(keyOf(connection, user)));
  return pinsIn(stored).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
};

/** Those of all users of a connection. */
export const readAllPins = (store: Store, connection: string): Promise<Pin[]> =>
  store.use(async (redis) => {
    const pinners = await redis.smembers(pinnersOf(connection));
    const stored = await Promise.all(pinners.map((user) => redis.hgetall(keyOf(connection, user))));
    return stored.flatMap(pinsIn);
  });

/** How many tiles a user's overview has; 0 while the store is unreachable. */
export const countPins = (connection: string, user: string): Promise<number> =>
  store()
    .use((redis) => redis.hlen(keyOf(connection, user)))
    .catch(withoutStore(0));

export const readPin = (store: Store, connection: string, user: string, id: string) =>
  store.use(async (redis) => parseStored(storedPin, await redis.hget(keyOf(connection, user), id)));

/** `full`: there are `MAX_PINS` already. An existing pin stays as it is. */
export const writePin = (
  store: Store,
  connection: string,
  user: string,
  { id, ...pin }: Pin,
): Promise<'added' | 'exists' | 'full'> =>
  store.use(async (redis) => {
    const key = keyOf(connection, user);
    if ((await redis.hsetnx(key, id, JSON.stringify(pin))) === 0) return 'exists';
    // Counted afterwards: of two at the same moment neither exceeds the limit.
    if ((await redis.hlen(key)) <= MAX_PINS) {
      await redis.sadd(pinnersOf(connection), user);
      return 'added';
    }
    await redis.hdel(key, id);
    return 'full';
  });

/** False where there was none. */
export const deletePin = (store: Store, connection: string, user: string, id: string): Promise<boolean> =>
  store.use(async (redis) => (await redis.hdel(keyOf(connection, user), id)) === 1);

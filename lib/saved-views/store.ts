import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseFields } from '@/lib/stored-json';
import { MAX_VIEWS, savedView } from './schema';

export const storedView = savedView
  .omit({ id: true, mayDelete: true, shared: true })
  .extend({ owner: z.string().meta({ description: 'The id of a user, or of a token without one.' }) });
export type StoredView = z.output<typeof storedView> & { id: string };

/** In place of an owner: no user has this id. */
export const EVERYBODY = 'everybody';

const keyOf = (connection: string, whose: string): Buffer =>
  consoleFamilies.savedViews.key({ connection, id: whose });

export const readViews = async (store: Store, connection: string, whose: string): Promise<StoredView[]> => {
  const stored = await store.use((redis) => redis.hgetall(keyOf(connection, whose)));
  return parseFields(storedView, stored).map(([id, view]) => ({ id, ...view }));
};

/** False where there are `MAX_VIEWS` already. */
export const writeView = (
  store: Store,
  connection: string,
  whose: string,
  { id, ...view }: StoredView,
): Promise<boolean> =>
  store.use(async (redis) => {
    const key = keyOf(connection, whose);
    await redis.hset(key, id, JSON.stringify(view));
    // Counted afterwards: of two at the same moment neither exceeds the limit.
    if ((await redis.hlen(key)) <= MAX_VIEWS) return true;
    await redis.hdel(key, id);
    return false;
  });

/** False where there was none. */
export const deleteView = (store: Store, connection: string, whose: string, id: string): Promise<boolean> =>
  store.use(async (redis) => (await redis.hdel(keyOf(connection, whose), id)) === 1);

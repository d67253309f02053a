import 'server-only';
import { cache } from 'react';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { withoutStore } from '@/lib/redis/failure';
import { type Store, store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DEFAULT_PREFERENCES, type Preferences, preferenceFields } from './schema';

const keyOf = (user: string): Buffer => consoleFamilies.preferences.key({ id: user });

const NAMES = Object.keys(preferenceFields) as (keyof Preferences)[];

/** A user's preferences; the default in place of each that is missing or that another version wrote. */
export const readPreferences = async (store: Store, user: string): Promise<Preferences> => {
  const stored = await store.use((redis) => redis.hgetall(keyOf(user)));
  const known = NAMES.flatMap((name) => {
    const value = parseStored(preferenceFields[name], stored[name]);
    return value === null ? [] : [[name, value]];
  });
  return { ...DEFAULT_PREFERENCES, ...Object.fromEntries(known) };
};

/** For pages: the default while the store is unreachable. Cached per rendering. */
export const preferencesOf = cache(
  (user: string): Promise<Preferences> =>
    readPreferences(store(), user).catch(withoutStore(DEFAULT_PREFERENCES)),
);

/** Each by itself: two tabs may change different ones. */
export const writePreferences = async (
  store: Store,
  user: string,
  change: Partial<Preferences>,
): Promise<void> => {
  const fields = Object.entries(change).flatMap(([name, value]) => [name, JSON.stringify(value)]);
  if (fields.length > 0) await store.use((redis) => redis.hset(keyOf(user), ...fields));
};

import 'server-only';
import { z } from 'zod';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { MAX_NOTIFICATIONS, notificationFields } from './schema';

/** A notification as it is stored. Times are epoch ms. */
export const storedNotification = z.object({
  ...notificationFields,
  id: z.string(),
  createdBy: z.string(),
  /** It is about what happens from then on. */
  createdAt: z.number(),
  changedAt: z.number(),
});
export type StoredNotification = z.output<typeof storedNotification>;

const KEY = consoleFamilies.notifications.key();

export const readNotifications = async (store: Store): Promise<StoredNotification[]> => {
  const texts = await store.use((redis) => redis.hvals(KEY));
  return texts.flatMap((text) => parseStored(storedNotification, text) ?? []);
};

/** With the text that a change must find. */
export const readNotification = async (
  store: Store,
  id: string,
): Promise<{ value: StoredNotification; text: string } | null> => {
  const text = await store.use((redis) => redis.hget(KEY, id));
  const value = parseStored(storedNotification, text);
  return value && { value, text: text! };
};

/** Sets or deletes (`null`) one while it is as it was read (`null`: absent). */
export const replaceNotification = async (
  store: Store,
  id: string,
  before: string | null,
  after: StoredNotification | null,
): Promise<'changed' | 'full' | 'ok'> => {
  const args = [id, before ?? '', after === null ? '' : JSON.stringify(after), MAX_NOTIFICATIONS];
  const [, , set] = (await store.run('hash-change', [KEY], args)) as number[];
  return set === 1 ? 'ok' : set === -1 ? 'full' : 'changed';
};

export const etagOf = (stored: StoredNotification): string =>
  digest('etag', `notification ${JSON.stringify(stored)}`, 27);

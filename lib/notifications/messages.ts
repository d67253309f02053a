import 'server-only';
import { z } from 'zod';
import { attemptFields, nextAttemptOf } from '@/lib/alerts/attempts';
import { languageOf, readAll, type StoredChannel } from '@/lib/alerts/stored-rule';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { allReplies, type Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';
import { type Draft, notice, written } from './notice';
import type { StoredNotification } from './stored';

const storedDelivery = z.object({ ...attemptFields, connection: z.string() });
export type StoredDelivery = z.output<typeof storedDelivery>;

/** A message until it is delivered, as it is stored. Its id begins with that of the notification. */
const storedMessage = z.object({
  id: z.string(),
  notice,
  deliveries: z.array(storedDelivery),
});
export type StoredMessage = z.output<typeof storedMessage>;

const MESSAGES = consoleFamilies.notificationMessages.key();
const HISTORY = consoleFamilies.notificationHistory.key();
const DUE = consoleFamilies.notificationDue.key();
export const STATES = consoleFamilies.notificationStates.key();

export type ChannelsByConnection = ReadonlyMap<string, ReadonlyMap<string, StoredChannel>>;

/** The channels of these connections, by connection and id. */
export const readChannels = async (
  store: Store,
  connections: readonly string[],
): Promise<ChannelsByConnection> => {
  const read = async (id: string) => [id, await readAll(store, 'channels', id)] as const;
  return new Map(await Promise.all([...new Set(connections)].map(read)));
};

/** A new message to all channels of a notification, in their languages; null if they were deleted. */
export const messageOf = async (
  { id, channels }: StoredNotification,
  draft: Draft,
  known: ChannelsByConnection,
): Promise<StoredMessage | null> => {
  const { at } = draft;
  const found = channels.flatMap(({ connection, channel }) => {
    const stored = known.get(connection)?.get(channel);
    return stored ? [{ connection, stored }] : [];
  });
  if (found.length === 0) return null;
  const deliveries = found.map(({ connection, stored }): StoredDelivery => {
    const { id: channel, name, kind } = stored;
    const begin = { state: 'pending', attempts: 0, at: null, nextAt: at, error: null } as const;
    return { id: newId(at), connection, channel, name, kind, ...begin };
  });
  const languages = found.map(({ stored }) => languageOf(stored));
  return { id: `${id}/${newId(at)}`, notice: await written(draft, languages), deliveries };
};

/** How many messages of each notification are not delivered yet. */
export const countWaiting = async (store: Store): Promise<ReadonlyMap<string, number>> => {
  const ids = await store.use((redis) => redis.hkeys(MESSAGES));
  const counts = new Map<string, number>();
  for (const id of ids) {
    const [notification = ''] = id.split('/');
    counts.set(notification, (counts.get(notification) ?? 0) + 1);
  }
  return counts;
};

export interface StateChange {
  field: string;
  /** As it was read; '' is absent. */
  before: string;
  after: string;
}

/**
 * Stores states and new messages together, only while each state is as it was read: of two processes that read the same
 * entries one sends them, and after a crash the entries are read again or were sent.
 */
export const commit = async (
  store: Store,
  states: readonly StateChange[],
  messages: readonly { before: string; after: StoredMessage }[],
): Promise<boolean> => {
  const args = [
    states.length,
    ...states.flatMap(({ field, before, after }) => [field, before, after]),
    ...messages.flatMap(({ before, after }) => [
      after.id,
      before,
      JSON.stringify(after),
      after.notice.at,
      nextAttemptOf(after.deliveries),
    ]),
  ];
  const [, , stored] = (await store.run('alert-commit', [STATES, MESSAGES, HISTORY, DUE], args)) as number[];
  return stored === 1;
};

/** Ids of messages with an attempt that is due, the longest overdue first. */
export const dueMessages = (store: Store, now: number): Promise<string[]> =>
  store.use((redis) => redis.zrangebyscore(DUE, '-inf', now));

export const readMessage = async (
  store: Store,
  id: string,
): Promise<{ message: StoredMessage; text: string } | null> => {
  const text = await store.use((redis) => redis.hget(MESSAGES, id));
  const message = parseStored(storedMessage, text);
  return message && { message, text: text! };
};

export const deleteMessages = async (store: Store, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  await store.use(async (redis) =>
    allReplies(
      await redis
        .multi()
        .hdel(MESSAGES, ...ids)
        .zrem(HISTORY, ...ids)
        .zrem(DUE, ...ids)
        .exec(),
    ),
  );
};

/** Deletes what is not delivered yet of a notification. */
export const deleteMessagesOf = async (store: Store, notification: string): Promise<void> => {
  const ids = await store.use((redis) => redis.hkeys(MESSAGES));
  await deleteMessages(
    store,
    ids.filter((id) => id.startsWith(`${notification}/`)),
  );
};

/** Attempts end within minutes: what is older was left by a process that died when they had ended. */
const MAX_AGE_MS = DAY;

export const deleteOldMessages = async (store: Store, now: number): Promise<void> =>
  deleteMessages(store, await store.use((redis) => redis.zrangebyscore(HISTORY, '-inf', now - MAX_AGE_MS)));

const MAX_TRIES = 10;

/** Changes a message by compare-and-set; null when it is gone. One whose attempts have all ended is deleted. */
export const changeMessage = async (
  store: Store,
  id: string,
  change: (message: StoredMessage) => StoredMessage,
): Promise<StoredMessage | null> => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const read = await readMessage(store, id);
    if (!read) return null;
    const after = change(read.message);
    if (!(await commit(store, [], [{ before: read.text, after }]))) continue;
    if (nextAttemptOf(after.deliveries) === '') await deleteMessages(store, [id]);
    return after;
  }
  return null;
};

import 'server-only';
import { z } from 'zod';
import type { Attempt } from '@/lib/attempt';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored, parseStoredHash } from '@/lib/stored-json';

/** What the last attempt of a channel came to. Times are epoch ms. */
const result = z.object({
  at: z.number(),
  /** null: delivered. */
  error: z.string().nullable(),
  /** Since when no attempt was delivered; null if the last one was. */
  since: z.number().nullable(),
});
export type ChannelResult = z.output<typeof result>;

const keyOf = (connection: string): Buffer => consoleFamilies.alertResults.key({ connection });

/** By the id of the channel. */
export const readResults = async (store: Store, connection: string): Promise<Map<string, ChannelResult>> => {
  const texts = await store.use((redis) => redis.hgetall(keyOf(connection)));
  return new Map(parseStoredHash(result, texts));
};

/** Records an attempt for the pages; of two at the same time the last one counts. Never throws: the message is sent. */
export const recordResult = async (
  store: Store,
  connection: string,
  channel: string,
  { delivered, error }: Attempt,
  now: number,
): Promise<void> => {
  const key = keyOf(connection);
  const record = store.use(async (redis) => {
    const before = parseStored(result, await redis.hget(key, channel));
    const after: ChannelResult = { at: now, error, since: delivered ? null : (before?.since ?? now) };
    await redis.hset(key, channel, JSON.stringify(after));
  });
  await record.catch(() => undefined);
};

export const forgetResult = (store: Store, connection: string, channel: string): Promise<unknown> =>
  store.use((redis) => redis.hdel(keyOf(connection), channel));

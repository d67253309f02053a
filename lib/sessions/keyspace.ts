import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { SECOND, ttlSeconds } from '@/lib/time';

/** Below this many keys a scan is so cheap that every answer is complete. */
export const SMALL_KEYSPACE = 50_000;

/** Estimated time of a SCAN call of several hundred keys without the budget's pause, ms. */
const CALL_MS = 0.5;
/** Longer work becomes a job. */
const MAX_WAIT_MS = 2 * SECOND;

/** Whether scanning the keyspace `times` times takes longer than a request may, under the connection's budget. */
export const exceedsRequestTime = async (ctx: ReadContext, times: number): Promise<boolean> => {
  const { chunk, pauseMs } = ctx.connection.budget.limits;
  const calls = (await ctx.reader.size()) / chunk;
  return times * calls * (pauseMs + CALL_MS) > MAX_WAIT_MS;
};

/**
 * The existing keys, each with its TTL: seconds, null for never. Unreadable keys are pushed to `unreadable`, or their
 * error is thrown: such a key may exist.
 */
export const readExisting = async <K extends { key: Key }>(
  ctx: ReadContext,
  keys: readonly K[],
  unreadable?: { push(one: { key: Key }): unknown },
): Promise<(K & { ttlSeconds: number | null })[]> => {
  const replies: readonly unknown[] = await ctx.reader.readMany(
    keys.map(({ key }): ReadCommand => ['PTTL', key]),
  );
  return keys.flatMap((item, i) => {
    const reply = replies[i];
    if (reply instanceof Error && !unreadable) throw reply;
    if (reply instanceof Error) unreadable?.push(item);
    const ttl = typeof reply === 'number' ? ttlSeconds(reply) : undefined;
    return ttl === undefined ? [] : [{ ...item, ttlSeconds: ttl }];
  });
};

const UNLINK_BATCH = 1000;

/** Deletes keys. Returns how many existed. */
export const unlinkKeys = async (ctx: WriteContext, keys: readonly { key: Key }[]): Promise<number> => {
  let deleted = 0;
  for (let from = 0; from < keys.length; from += UNLINK_BATCH)
    deleted += await ctx.writer.unlink(keys.slice(from, from + UNLINK_BATCH).map(({ key }) => key));
  return deleted;
};

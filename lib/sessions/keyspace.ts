import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { ttlSeconds } from '@/lib/time';

/** Those of the keys that exist now, each with its TTL: seconds, null for never. */
export const readAlive = async <K extends { key: Key }>(
  ctx: ReadContext,
  keys: readonly K[],
): Promise<(K & { ttlSeconds: number | null })[]> => {
  const replies: readonly unknown[] = await ctx.reader.readMany(
    keys.map(({ key }): ReadCommand => ['PTTL', key]),
  );
  return keys.flatMap((one, i) => {
    const ttl = typeof replies[i] === 'number' ? ttlSeconds(replies[i]) : undefined;
    return ttl === undefined ? [] : [{ ...one, ttlSeconds: ttl }];
  });
};

import 'server-only';
import type { z } from 'zod';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';

/** Streams of JSON entries whose ids are their times, epoch ms. */

export type StreamRows = [id: string, fields: string[]][];

export interface Timed {
  at: number;
}

const timeOf = (streamId: string): number => Number(streamId.split('-')[0]);

/** Parses entries and adds their times. Skips entries that do not match the schema. */
export const timedRows = <T extends object>(kept: z.ZodType<T>, rows: StreamRows): (T & Timed)[] =>
  rows.flatMap(([id, fields]) => {
    const value = parseStored(kept, fields[1]);
    return value ? [{ ...value, at: timeOf(id) }] : [];
  });

/** Entries in [from, to], oldest first. */
export const readTimed = <T extends object>(
  store: Store,
  key: Buffer,
  kept: z.ZodType<T>,
  { from, to }: { from: number; to: number },
): Promise<(T & Timed)[]> =>
  store.use(async (redis) =>
    timedRows(kept, (await redis.xrange(key, Math.max(0, from), Math.max(0, to))) as StreamRows),
  );

/** Time of the newest entry; null when there is none. */
export const newestTime = (store: Store, key: Buffer): Promise<number | null> =>
  store.use(async (redis) => {
    const [row] = (await redis.xrevrange(key, '+', '-', 'COUNT', 1)) as StreamRows;
    return row ? timeOf(row[0]) : null;
  });

/** Appends an entry. An entry that is not newer than the last one is ignored. */
export const appendTimed = (
  store: Store,
  key: Buffer,
  { at, kept, trim }: { at: number; kept: object; trim: ['MAXLEN' | 'MINID', number] },
): Promise<void> =>
  store.use(async (redis) => {
    const args = [trim[0], '~', trim[1], `${at}-0`, 'v', JSON.stringify(kept)];
    await redis.call('XADD', key, ...args).catch((error: Error) => {
      if (!error.message.includes('equal or smaller')) throw error;
    });
  });

/** Joins entries into steps that start at multiples of `stepMs`. Empty steps are absent. */
export const groupTimed = <T extends Timed>(
  entries: readonly T[],
  stepMs: number,
  join: (before: T, next: T) => T,
): T[] => {
  const steps = new Map<number, T>();
  for (const entry of entries) {
    const at = Math.floor(entry.at / stepMs) * stepMs;
    const before = steps.get(at);
    steps.set(at, before ? join(before, entry) : { ...entry, at });
  }
  return [...steps.values()].sort((a, b) => a.at - b.at);
};

import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseFields } from '@/lib/stored-json';
import { DAY, iso } from '@/lib/time';
import type { Attention } from './schema';

export const MAX_DAYS = 30;

const putOff = z.object({
  /** Epoch ms. */
  until: z.number(),
  by: z.string(),
  reason: z.string(),
});
export type PutOff = z.output<typeof putOff>;

/** What needs attention, before it is known whether somebody put it off. */
export type Found = Omit<Attention, 'canPutOff' | 'putOff'>;

/** Signs that somebody tampers with the console stay in sight. */
const STAYS = /^(audit|records-refused|store-gone)/;

export const canPutOff = (id: string): boolean => !STAYS.test(id);

const keyOf = (connection: string): Buffer => consoleFamilies.putOff.key({ connection });

/** What is put off now, by id. */
const activeIn = (stored: Record<string, string>, now: number): Map<string, PutOff> =>
  new Map(parseFields(putOff, stored).filter(([, { until }]) => until > now));

/** `null` shows it again. What has ended is removed with the next change. Returns what there was before. */
export const writePutOff = async (
  store: Store,
  connection: string,
  id: string,
  value: PutOff | null,
  now: number,
): Promise<PutOff | null> =>
  store.use(async (redis) => {
    const key = keyOf(connection);
    const stored = await redis.hgetall(key);
    const active = activeIn(stored, now);
    const ended = Object.keys(stored).filter((each) => !active.has(each));
    const gone = value === null ? [...ended, id] : ended.filter((each) => each !== id);
    if (gone.length > 0) await redis.hdel(key, ...gone);
    if (value !== null) {
      await redis.hset(key, id, JSON.stringify(value));
      await redis.pexpire(key, MAX_DAYS * DAY);
    }
    return active.get(id) ?? null;
  });

/** The same items, each with who put it off, why and until when. */
export const withPutOff = async (
  store: Store,
  connection: string,
  items: readonly Found[],
  now: number,
): Promise<Attention[]> => {
  const stored = await store.use((redis) => redis.hgetall(keyOf(connection))).catch(() => ({}));
  const off = activeIn(stored, now);
  return items.map((item) => {
    const found = canPutOff(item.id) ? off.get(item.id) : undefined;
    return {
      ...item,
      canPutOff: canPutOff(item.id),
      putOff: found ? { ...found, until: iso(found.until) } : null,
    };
  });
};

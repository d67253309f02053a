import 'server-only';
import { allReplies, type Store } from '@/lib/redis/store';

const ID = /^[\w-]{1,128}$/;
const LAST_DATE = 8.64e15;

/** A time in a record; null where it is missing or invalid: anyone with access to the store may have written it. */
export const storedTime = (text: string | undefined): number | null => {
  const time = Number(text || Number.NaN);
  return Math.abs(time) <= LAST_DATE ? time : null;
};

/** The ids in a set and the hash of each, oldest first (ids sort by time). */
export const readMembers = (
  store: Store,
  set: Buffer,
  keyOf: (id: string) => Buffer,
): Promise<{ id: string; fields: Record<string, string> }[]> =>
  store.use(async (redis) => {
    const ids = (await redis.smembers(set)).filter((id) => ID.test(id)).sort();
    const pipeline = redis.pipeline();
    for (const id of ids) pipeline.hgetall(keyOf(id));
    const hashes = allReplies(await pipeline.exec()) as Record<string, string>[];
    return ids.map((id, i) => ({ id, fields: hashes[i]! }));
  });

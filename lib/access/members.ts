import 'server-only';
import { allReplies, type Store } from '@/lib/redis/store';

/** The ids of a set and the hash of each, oldest first (ids sort by time). */
export const readMembers = (
  store: Store,
  set: Buffer,
  keyOf: (id: string) => Buffer,
): Promise<{ id: string; fields: Record<string, string> }[]> =>
  store.use(async (redis) => {
    const ids = (await redis.smembers(set)).sort();
    const pipeline = redis.pipeline();
    for (const id of ids) pipeline.hgetall(keyOf(id));
    const hashes = allReplies(await pipeline.exec()) as Record<string, string>[];
    return ids.map((id, i) => ({ id, fields: hashes[i]! }));
  });

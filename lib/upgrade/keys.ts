import 'server-only';
import type { Store } from '@/lib/redis/store';

const BATCH = 100;

/** The store's keys in small batches, each key once. A key that is added or deleted meanwhile may be in none. */
export async function* keysOf(own: Store, match = '*'): AsyncGenerator<Buffer[]> {
  const seen = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await own.use((redis) => redis.scanBuffer(cursor, 'MATCH', match, 'COUNT', BATCH));
    const added = keys.filter((key) => !seen.has(key.toString('latin1')));
    for (const key of added) seen.add(key.toString('latin1'));
    if (added.length > 0) yield added;
    cursor = next.toString();
  } while (cursor !== '0');
}

import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import { isWrongType } from '@/lib/redis/failure';
import type { Reader } from '@/lib/redis/reader';

/**
 * Users online: members of the catalog's set of them, or of a sorted set in its place. Null where the catalog has none, or
 * the key is something else.
 */
export const countOnline = async (
  reader: Pick<Reader, 'readMany'>,
  catalog: Pick<Registry, 'role'>,
): Promise<number | null> => {
  const key = catalog.role('presence')?.key();
  if (!key) return null;
  const counts = await reader.readMany([
    ['SCARD', key],
    ['ZCARD', key],
  ]);
  for (const count of counts) {
    if (!(count instanceof Error)) return count;
    if (!isWrongType(count)) throw count;
  }
  return null;
};

import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isWrongType } from '@/lib/redis/failure';
import { entryOf, indexUserOf } from '@/lib/sessions/keys';
import { storageOf } from '@/lib/sessions/storage';

const PAGE = 100;
/** An index of more entries is in use. */
const MAX_PAGES = 10;

/** Whether an index of a user's sessions has entries, and none of their sessions is stored. */
export const isDangling = async (handle: ConnectionHandle, catalog: Registry, key: Key): Promise<boolean> => {
  const keyspace = { catalog, connection: handle };
  const userId = indexUserOf(keyspace, key);
  if (userId === null) return false;
  const isSorted = storageOf(keyspace).index?.type === 'zset';
  let cursor = '0';
  let entries = 0;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await handle.background
      .scanCollection(isSorted ? 'ZSCAN' : 'SSCAN', key, cursor, { count: PAGE })
      .catch((error: unknown) => {
        if (isWrongType(error)) return null;
        throw error;
      });
    if (!page) return false;
    const members = isSorted ? page.elements.filter((_, i) => i % 2 === 0) : page.elements;
    const sessions = members.map((member) => entryOf(keyspace, userId, member));
    // An entry of another family is damage of another kind.
    if (sessions.some((session) => session === null)) return false;
    entries += sessions.length;
    const exists: readonly unknown[] = await handle.background.readMany(
      sessions.map((session): ReadCommand => ['EXISTS', session!.key]),
    );
    if (exists.some((reply) => reply !== 0)) return false;
    cursor = page.cursor;
    if (cursor === '0') return entries > 0;
  }
  return false;
};

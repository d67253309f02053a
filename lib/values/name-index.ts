import 'server-only';
import { z } from 'zod';
import { open, seal } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';

/** With more names, no index is stored and each list scans. */
export const MAX_INDEXED_NAMES = 10_000;

/** Display names, never values. `at`: when the scan started, epoch ms. */
const nameIndex = z.object({ at: z.number(), names: z.array(z.string()) });
export type NameIndex = z.output<typeof nameIndex>;

/** Flags have a separate index where they are not variables. */
export type IndexedNames = 'variable' | 'flag';
const FAMILIES = { variable: consoleFamilies.variableNames, flag: consoleFamilies.flagNames };

/** Names found by the last scan; null if none are stored. Stored sealed, because a name may hold a secret. */
export const readNameIndex = (
  store: Store,
  kind: IndexedNames,
  connection: string,
): Promise<NameIndex | null> =>
  store.use(async (redis) => {
    const sealed = await redis.getBuffer(FAMILIES[kind].key({ connection }));
    const text = sealed && open('names', sealed, connection);
    return parseStored(nameIndex, text?.toString());
  });

/** Stores the names of a scan or walk, unless one that started later has stored its own. */
export const writeNameIndex = async (
  store: Store,
  kind: IndexedNames,
  connection: string,
  index: NameIndex,
): Promise<void> => {
  const known = await readNameIndex(store, kind, connection);
  if (known && known.at > index.at) return;
  await store.use(async (redis) => {
    const key = FAMILIES[kind].key({ connection });
    if (index.names.length > MAX_INDEXED_NAMES) await redis.del(key);
    else await redis.set(key, seal('names', Buffer.from(JSON.stringify(index)), connection), 'PX', 7 * DAY);
  });
};

export const writeNameIndexes = async (
  store: Store,
  connection: string,
  indexes: Partial<Record<IndexedNames, NameIndex>>,
): Promise<void> => {
  for (const kind of ['variable', 'flag'] as const) {
    const index = indexes[kind];
    if (index) await writeNameIndex(store, kind, connection, index);
  }
};

import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { open, seal } from '@/lib/keyring';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';

/** With more names, no index is stored and each list scans. */
export const MAX_INDEXED_NAMES = 10_000;

/** Display names, never values. `at`: when the scan started, epoch ms. */
const variableIndex = z.object({ at: z.number(), names: z.array(z.string()) });
export type VariableIndex = z.output<typeof variableIndex>;

const keyOf = (connection: string): Buffer => consoleFamilies.variableNames.key({ connection });

/** Names found by the last scan; null if none are stored. Stored sealed, because a name may hold a secret. */
export const readVariableIndex = (store: Store, connection: string): Promise<VariableIndex | null> =>
  store.use(async (redis) => {
    const sealed = await redis.getBuffer(keyOf(connection));
    const text = sealed && open('names', sealed, connection);
    return parseStored(variableIndex, text?.toString());
  });

/** Stores the names of a scan, unless a scan that started later has stored its own. */
export const writeVariableIndex = async (
  store: Store,
  connection: string,
  index: VariableIndex,
): Promise<void> => {
  const known = await readVariableIndex(store, connection);
  if (known && known.at > index.at) return;
  await store.use(async (redis) => {
    const key = keyOf(connection);
    if (index.names.length > MAX_INDEXED_NAMES) await redis.del(key);
    else
      await redis.set(
        key,
        seal('names', Buffer.from(JSON.stringify(index)), connection),
        ...(['PX', 7 * DAY] as const),
      );
  });
};

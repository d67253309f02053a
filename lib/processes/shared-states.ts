import 'server-only';
import { keyIdOf } from '@/lib/command/key-ids';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { readPaced } from '@/lib/redis/paced-reads';
import type { RoleKey, RoleKeys } from '@/lib/role-keys/role-keys';
import { rolePass } from '@/lib/role-keys/role-pass';
import { type ShownName, shownName } from '@/lib/role-keys/shown-name';
import type { NamedValues } from './named-values';
import { MAX_DECISIVE_BYTES, readStates } from './stored-state';

/** What a pass retains of a state: the fields of a page are read again. */
export interface KnownState extends RoleKey {
  values: NamedValues;
  keyId: string;
  shown: ShownName<'process' | 'id'>;
  expiresAt: number | null;
}

/** Read in parallel, in a few round trips. */
const CHUNK_SIZE = 50;

const read = async (
  found: KnownState[],
  handle: ConnectionHandle,
  catalog: Registry,
  { keys }: RoleKeys,
): Promise<void> => {
  const ctx = {
    connection: handle,
    reader: handle.background,
    purpose: 'scan',
    maxBytes: MAX_DECISIVE_BYTES,
  } as const;
  const states = await readPaced(handle.topology, keys, CHUNK_SIZE, (some) =>
    readStates(
      ctx,
      some.map(({ key }) => key),
    ),
  );
  for (const [i, roleKey] of keys.entries()) {
    const state = states[i];
    if (!state) continue;
    found.push({
      ...roleKey,
      values: state.values,
      expiresAt: state.expiresAt,
      shown: shownName(catalog, roleKey, ['process', 'id']),
      keyId: keyIdOf({ connection: handle, catalog }, roleKey.key),
    });
  }
};

/** The states of a connection, read once for all readers. */
export const sharedStates = rolePass<KnownState[]>({ name: 'states', role: 'state', empty: () => [], read });

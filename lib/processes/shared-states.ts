import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import { keyIdOf } from '@/lib/command/key-ids';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { RoleKey } from '@/lib/role-keys/role-keys';
import { type RolePass, rolePass } from '@/lib/role-keys/role-pass';
import { type ShownName, shownName } from '@/lib/role-keys/shown-name';
import type { NamedValues } from './named-values';
import { readStates } from './stored-state';

/** What a pass keeps of a state: the fields of a page are read again. */
export interface KnownState extends RoleKey {
  values: NamedValues;
  keyId: string;
  shown: ShownName<'process' | 'id'>;
  expiresAt: number | null;
}

/** They are read side by side, in a few round trips. */
const CHUNK_SIZE = 50;

const read = async (
  found: KnownState[],
  handle: ConnectionHandle,
  catalog: Registry,
  keys: readonly RoleKey[],
): Promise<void> => {
  for (let from = 0; from < keys.length; from += CHUNK_SIZE) {
    const chunk = keys.slice(from, from + CHUNK_SIZE);
    const states = await readStates(
      { connection: handle, reader: handle.background },
      chunk.map(({ key }) => key),
    );
    for (const [i, one] of chunk.entries()) {
      const state = states[i];
      if (!state) continue;
      found.push({
        ...{
          ...one,
          values: state.values,
          expiresAt: state.expiresAt,
          shown: shownName(catalog, one, ['process', 'id']),
        },
        keyId: keyIdOf({ connection: handle, catalog }, one.key),
      });
    }
  }
};

const states = rolePass<KnownState[]>({ name: 'states', role: 'state', empty: () => [], read });

/** The states of a connection, read once for all readers. */
export const sharedStates = (handle: ConnectionHandle, catalog: Registry): Promise<RolePass<KnownState[]>> =>
  states.current(handle, catalog);

/** The next reader reads again. */
export const outdateStates = (handle: ConnectionHandle): void => states.outdate(handle);

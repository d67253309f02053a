import 'server-only';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { readPaced } from '@/lib/redis/paced-reads';
import type { RoleKeys } from '@/lib/role-keys/role-keys';
import { type RoleRow, rolePass } from '@/lib/role-keys/role-pass';
import { MAX_DECISIVE_BYTES, readStates, type StoredState } from './stored-state';

/** What a pass retains of a state: the fields of a page are read again. */
type Retained = Pick<StoredState, 'values' | 'expiresAt'>;

export type KnownState = RoleRow<Retained, 'process' | 'id'>;

/** Read in parallel, in a few round trips. */
const CHUNK_SIZE = 50;

const read = async (handle: ConnectionHandle, { keys }: RoleKeys): Promise<(Retained | null)[]> => {
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
  return states.map((state) => state && { values: state.values, expiresAt: state.expiresAt });
};

/** The states of a connection, read once for all readers. */
export const sharedStates = rolePass({ name: 'states', role: 'state', shown: ['process', 'id'], read });

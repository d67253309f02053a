import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { passPerConnection, SharedPass } from '@/lib/redis/shared-pass';
import { SECOND } from '@/lib/time';
import { type ListedRole, type RoleKeys, roleKeys } from './role-keys';

/** As that of the keys: whoever changes a key and looks wants to see it. */
const SHARED_MS = SECOND / 4;
const WAIT_MS = 3 * SECOND;

/** What was read of the keys of a role. */
export interface RolePass<T> extends Pick<RoleKeys, 'isComplete' | 'foundAt'> {
  found: T;
  /** When all of them were read, epoch ms; null while the first scan or the first read is running. */
  readAt: number | null;
}

interface Passing<T> {
  found: T;
  /** Those that were read. */
  of: RoleKeys;
}

interface Parts<T> {
  /** Unique. */
  name: string;
  role: ListedRole;
  empty: () => T;
  /** Adds what it reads of the keys to what `empty` made. */
  read: (found: T, handle: ConnectionHandle, catalog: Registry, of: RoleKeys) => Promise<void>;
}

const NO_KEYS: RoleKeys = { keys: [], isComplete: false, scannedFrom: null, foundAt: null };

/** One read of all keys of a role, with their values, that all readers of a connection share. Throws as `roleKeys`. */
export const rolePass = <T>({ name, role, empty, read }: Parts<T>) => {
  const passes = passPerConnection(`pass of ${name}`, (handle, catalog: Registry) => {
    const latest = { keys: NO_KEYS };
    const pass = new SharedPass({
      handle,
      sharedMs: SHARED_MS,
      empty: (): Passing<T> => ({ found: empty(), of: NO_KEYS }),
      fill: async (passing: Passing<T>) => {
        passing.of = latest.keys;
        await read(passing.found, handle, catalog, passing.of);
      },
    });
    return { latest, pass };
  });
  return {
    current: async (handle: ConnectionHandle, catalog: Registry): Promise<RolePass<T>> => {
      const { latest, pass } = passes.of(handle, catalog);
      // Not within the pass: it is shared for as long as its own reads are slow.
      latest.keys = await roleKeys(handle, catalog, [role]);
      const { found: passing, finishedAt } = await pass.current(WAIT_MS);
      const { isComplete, foundAt } = passing.of;
      const readAt = foundAt === null ? null : finishedAt;
      return { isComplete: isComplete && readAt !== null, foundAt, found: passing.found, readAt };
    },
    /** After a change: the next reader gets a new pass. */
    outdate: passes.drop,
  };
};

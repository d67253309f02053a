import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { SharedPass } from '@/lib/redis/shared-pass';
import { SECOND } from '@/lib/time';
import { type ListedRole, type RoleKey, type RoleKeys, roleKeys } from './role-keys';

/** As that of the keys: whoever changes a key and looks wants to see it. */
const SHARED_MS = SECOND / 4;
/** Longer than `roleKeys` waits for its scan. */
const WAIT_MS = 5 * SECOND;

/** What was read of the keys of a role. */
export interface RolePass<T> extends Omit<RoleKeys, 'keys'> {
  found: T;
  /** When all of them were read, epoch ms; null while the first pass is running. */
  readAt: number | null;
}

interface Passing<T> {
  found: T;
  keys: Omit<RoleKeys, 'keys'>;
}

interface Known<T> {
  catalog: Registry;
  pass: SharedPass<Passing<T>>;
}

interface Parts<T> {
  /** Unique. */
  name: string;
  role: ListedRole;
  empty: () => T;
  /** Adds what it reads of the keys to what `empty` made. */
  read: (found: T, handle: ConnectionHandle, catalog: Registry, keys: readonly RoleKey[]) => Promise<void>;
}

const NOTHING_YET = { isComplete: false, foundAt: null, share: 0 };

/** One read of all keys of a role, with their values, that all readers of a connection share. Throws as `roleKeys`. */
export const rolePass = <T>({ name, role, empty, read }: Parts<T>) => {
  const known = processWide(`pass of ${name}`, () => new WeakMap<ConnectionHandle, Known<T>>());
  const passOf = (handle: ConnectionHandle, catalog: Registry): SharedPass<Passing<T>> => {
    const before = known().get(handle);
    // Another version of the catalog may name other keys.
    if (before?.catalog === catalog) return before.pass;
    const pass = new SharedPass({
      ...{ handle, sharedMs: SHARED_MS },
      empty: (): Passing<T> => ({ found: empty(), keys: NOTHING_YET }),
      fill: async (passing: Passing<T>) => {
        const { keys, ...rest } = await roleKeys(handle, catalog, [role]);
        passing.keys = rest;
        await read(passing.found, handle, catalog, keys);
      },
    });
    known().set(handle, { catalog, pass });
    return pass;
  };
  return {
    current: async (handle: ConnectionHandle, catalog: Registry): Promise<RolePass<T>> => {
      const { found: passing, finishedAt } = await passOf(handle, catalog).current(WAIT_MS);
      const isComplete = passing.keys.isComplete && finishedAt !== null;
      return { ...passing.keys, isComplete, found: passing.found, readAt: finishedAt };
    },
    /** After a change: the next reader gets a new pass. */
    outdate: (handle: ConnectionHandle): void => void known().delete(handle),
  };
};

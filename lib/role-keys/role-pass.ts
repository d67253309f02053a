import 'server-only';
import { keyIdOf } from '@/lib/command/key-ids';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { passPerConnection, SharedPass } from '@/lib/redis/shared-pass';
import { SECOND } from '@/lib/time';
import { type ListedRole, type RoleKey, type RoleKeys, roleKeys } from './role-keys';
import { type ShownName, shownName } from './shown-name';

/** As that of the keys: whoever changes a key and looks wants to see it. */
const SHARED_MS = SECOND / 4;
const WAIT_MS = 3 * SECOND;

/** A key of a role with what was read of it. */
export type RoleRow<T, Part extends string> = RoleKey & T & { keyId: string; shown: ShownName<Part> };

/** What was read of the keys of a role, without those that are gone. */
export interface RolePass<Row> extends Pick<RoleKeys, 'isComplete' | 'foundAt'> {
  found: Row[];
  /** When all of them were read, epoch ms; null while the first scan or the first read is running. */
  readAt: number | null;
}

interface Passing<Row> {
  found: Row[];
  /** Those that were read. */
  of: RoleKeys;
}

interface Parts<T, Part> {
  /** Unique. */
  name: string;
  role: ListedRole;
  /** Parts of the role that are shown of a key's name. */
  shown: readonly Part[];
  /** What is known of each of the keys, in order; null for one that is gone. */
  read: (handle: ConnectionHandle, of: RoleKeys) => Promise<(T | null)[]>;
}

const NO_KEYS: RoleKeys = { keys: [], isComplete: false, scannedFrom: null, foundAt: null };

/** One read of all keys of a role, with their values, that all readers of a connection share. Throws as `roleKeys`. */
export const rolePass = <T extends object, const Part extends string>(parts: Parts<T, Part>) => {
  type Row = RoleRow<T, Part>;
  const { name, role, shown, read } = parts;
  const passes = passPerConnection(`pass of ${name}`, (handle, catalog: Registry) => {
    const latest = { keys: NO_KEYS };
    const ctx = { connection: handle, catalog };
    const pass = new SharedPass({
      handle,
      sharedMs: SHARED_MS,
      empty: (): Passing<Row> => ({ found: [], of: NO_KEYS }),
      fill: async (passing: Passing<Row>) => {
        passing.of = latest.keys;
        const values = await read(handle, passing.of);
        for (const [i, roleKey] of passing.of.keys.entries()) {
          const value = values[i];
          if (!value) continue;
          const named = { keyId: keyIdOf(ctx, roleKey.key), shown: shownName(catalog, roleKey, shown) };
          passing.found.push({ ...roleKey, ...value, ...named });
        }
      },
    });
    return { latest, pass };
  });
  return {
    current: async (handle: ConnectionHandle, catalog: Registry): Promise<RolePass<Row>> => {
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

import 'server-only';
import { displayKey, displayParams } from '@/lib/keyspace/display';
import type { Params } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import { partIn } from './part-in-key';
import type { RoleKey } from './role-keys';

/** A key for display with parts of its role that its name has: null where it has none, or is malformed. */
export type ShownName<Part extends string> = { key: string } & Record<Part, string | null>;

/** Names a key and its parts for display: secrets masked. */
export const shownName = <const Part extends string>(
  catalog: Registry,
  { key, family, params }: RoleKey,
  names: readonly Part[],
): ShownName<Part> => {
  const shown: Params = params ? displayParams(family, params, catalog) : {};
  const parts = names.map((name) => [name, partIn(family, shown, name)] as const);
  return { ...(Object.fromEntries(parts) as Record<Part, string | null>), key: displayKey(key, catalog) };
};

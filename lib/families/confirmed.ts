import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { type IdentifiedKey, identifyKeys } from '@/lib/command/identify-keys';
import type { Key } from '@/lib/redis/commands';
import { idOf } from './scan';
import type { Branch } from './target';

/** Whether a key named by a branch belongs to it: bare keys belong to a family only by their fields. */
export const isConfirmed = ({ confirmedFamily }: Branch, { family }: IdentifiedKey): boolean =>
  confirmedFamily === undefined || family === confirmedFamily;

/** Removes named keys that belong to another family with the same name. */
export const confirmed = async (
  { connection, catalog }: Pick<ReadContext, 'connection' | 'catalog'>,
  branches: readonly Branch[],
  keys: readonly Key[],
): Promise<Key[]> => {
  if (branches.every(({ confirmedFamily }) => confirmedFamily === undefined)) return [...keys];
  const identified = await identifyKeys(connection.background, catalog, keys);
  const naming = new Map<string, Branch[]>();
  for (const branch of branches)
    for (const key of branch.keys) naming.set(idOf(key), [...(naming.get(idOf(key)) ?? []), branch]);
  return keys.filter((key, i) =>
    naming.get(idOf(key))?.some((branch) => isConfirmed(branch, identified[i]!)),
  );
};

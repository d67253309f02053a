import 'server-only';
import type { Family } from '@/lib/catalog/family';
import type { FamilyRow } from './schema';

/** Redis' name of a type that the catalog calls otherwise. */
const NAMES: Record<string, string> = { 'TSDB-TYPE': 'timeseries' };

/** Keys by the type they are stored as, in the catalog's words. */
export const storedTypes = (types: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(types).map(([type, keys]) => [NAMES[type] ?? type, keys]));

/** Where stored keys are of another type than the catalog documents, the most frequent first. */
export const typeDrift = (
  { id, type, otherTypes = [] }: Pick<Family, 'id' | 'type' | 'otherTypes'>,
  types: Readonly<Record<string, number>>,
): FamilyRow['drift'] => {
  const documented = new Set<string>([type, ...otherTypes]);
  const of = Object.values(types).reduce((sum, keys) => sum + keys, 0);
  return Object.entries(types)
    .filter(([found]) => !documented.has(found))
    .map(([found, keys]) => ({ family: id, what: 'type' as const, documented: type, found, keys, of }))
    .sort((a, b) => b.keys - a.keys);
};

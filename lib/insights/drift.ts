import 'server-only';
import type { Family } from '@/lib/catalog/family';
import type { FamilyRow } from './schema';

/** Types that Redis and the catalog name differently. */
const NAMES: Record<string, string> = { 'TSDB-TYPE': 'timeseries' };

/** Keys by stored type, with the catalog's type names. */
export const storedTypes = (types: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(types).map(([type, keys]) => [NAMES[type] ?? type, keys]));

/** Stored types that the catalog does not document, most frequent first. */
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

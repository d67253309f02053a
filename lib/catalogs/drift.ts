import 'server-only';
import type { Family } from '@/lib/catalog/family';
import { ruleOf } from '@/lib/catalog/roles';
import { ttlInWords } from '@/lib/catalog/ttl-in-words';
import type { FamilyCount } from '@/lib/history/census';
import type { DriftRow } from './schema';

/** Types that Redis and the catalog name differently. */
const NAMES: Record<string, string> = { 'TSDB-TYPE': 'timeseries' };

/** Keys by stored type, with the catalog's type names. */
export const storedTypes = (types: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(types).map(([type, keys]) => [NAMES[type] ?? type, keys]));

/** Stored types that the catalog does not document, most frequent first. */
export const typeDrift = (
  { id, type, otherTypes = [] }: Pick<Family, 'id' | 'type' | 'otherTypes'>,
  types: Readonly<Record<string, number>>,
): (DriftRow & { what: 'type' })[] => {
  const documented = new Set<string>([type, ...otherTypes]);
  const of = Object.values(types).reduce((sum, keys) => sum + keys, 0);
  return Object.entries(types)
    .filter(([found]) => !documented.has(found))
    .map(([found, keys]) => ({ family: id, what: 'type' as const, documented: type, found, keys, of }))
    .sort((a, b) => b.keys - a.keys);
};

const ttlDrift = ({ id, ttl }: Family, { ttls }: FamilyCount): DriftRow[] => {
  if (!ttls) return [];
  const found = { 'no TTL': ttls.missing, 'longer TTL': ttls.longer, 'a TTL': ttls.unexpected };
  return Object.entries(found)
    .filter(([, keys]) => keys > 0)
    .map(([name, keys]) => ({
      ...{ family: id, what: 'ttl' as const, documented: ttlInWords(ttl), found: name },
      ...{ keys, of: ttls.of },
    }));
};

/** Whether keys of the family may lack this field: the role can do without it. */
const isOptional = ({ role, parts }: Family, field: string): boolean => {
  const names = Object.keys(parts).filter((name) => {
    const part = parts[name]!;
    return 'field' in part && part.field === field;
  });
  return role !== undefined && names.every((name) => ruleOf(role).parts[name]?.optional === true);
};

/** Fields that hashes lack. An optional one is only reported where no key has it: it may be called otherwise. */
const fieldDrift = (family: Family, { fields }: FamilyCount): DriftRow[] => {
  if (!fields) return [];
  return Object.entries(fields.missing)
    .filter(([field, keys]) => keys === fields.of || !isOptional(family, field))
    .map(([field, keys]) => ({
      ...{ family: family.id, what: 'field' as const, documented: field, found: 'missing' },
      ...{ keys, of: fields.of },
    }));
};

/** Where the stored keys of a family contradict the catalog, most keys first. */
export const driftOf = (family: Family, counted: FamilyCount): DriftRow[] =>
  [
    ...typeDrift(family, storedTypes(counted.types ?? {})),
    ...ttlDrift(family, counted),
    ...fieldDrift(family, counted),
  ].sort((a, b) => b.keys - a.keys);

import 'server-only';
import type { FamilyCount } from '@/lib/history/census';
import {
  documentedFields,
  documentedType,
  isDocumentedType,
  storedType,
  TTL_FAULTS,
  type TtlFault,
} from '@/lib/keyspace/drift-rules';
import type { Family } from '@/lib/keyspace/family';
import { ttlInWords } from '@/lib/keyspace/ttl-in-words';
import type { DriftRow } from './schema';

/** Keys by stored type, with the catalog's type names. */
export const storedTypes = (types: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(types).map(([type, keys]) => [storedType(type), keys]));

/** Stored types that the catalog does not document, most frequent first. */
export const typeDrift = (
  family: Pick<Family, 'id' | 'type' | 'otherTypes'>,
  types: Readonly<Record<string, number>>,
): (DriftRow & { what: 'type' })[] => {
  const of = Object.values(types).reduce((sum, keys) => sum + keys, 0);
  return Object.entries(types)
    .filter(([found]) => !isDocumentedType(family, found))
    .map(([found, keys]) => ({
      family: family.id,
      what: 'type' as const,
      documented: documentedType(family),
      found,
      keys,
      of,
    }))
    .sort((a, b) => b.keys - a.keys);
};

const ttlDrift = ({ id, ttl }: Family, { ttls }: FamilyCount): DriftRow[] => {
  if (!ttls) return [];
  return Object.entries(TTL_FAULTS).flatMap(([fault, found]) => {
    const keys = ttls[fault as TtlFault];
    if (keys === 0) return [];
    return { family: id, what: 'ttl' as const, documented: ttlInWords(ttl), found, keys, of: ttls.of };
  });
};

/** Fields that hashes lack. An optional one is only reported where no key has it: it may be called otherwise. */
const fieldDrift = (family: Family, { fields }: FamilyCount): DriftRow[] => {
  if (!fields) return [];
  const required = documentedFields(family).filter(({ optional }) => !optional);
  const isRequired = (field: string): boolean => required.some(({ names }) => names[0] === field);
  return Object.entries(fields.missing)
    .filter(([field, keys]) => keys === fields.of || isRequired(field))
    .map(([field, keys]) => ({
      family: family.id,
      what: 'field' as const,
      documented: field,
      found: 'missing',
      keys,
      of: fields.of,
    }));
};

/** Where the stored keys of a family contradict the catalog, most keys first. */
export const driftOf = (family: Family, counted: FamilyCount): DriftRow[] =>
  [
    ...typeDrift(family, storedTypes(counted.types ?? {})),
    ...ttlDrift(family, counted),
    ...fieldDrift(family, counted),
  ].sort((a, b) => b.keys - a.keys);

import { createHash } from 'node:crypto';
import { oncePer } from '@/lib/process-wide';
import type { Registry } from './registry';

/** Identifies how a catalog classifies keys: equal for catalogs with the same families and patterns. */
export const fingerprintOf = oncePer((catalog: Registry): string => {
  const families = catalog.families.map(({ id, pattern, params, type, ttl, identifyingFields }) => [
    id,
    pattern,
    type,
    ttl,
    identifyingFields ?? null,
    Object.entries(params).map(([name, { description, min, max }]) => [name, description, min, max]),
  ]);
  return createHash('sha256').update(JSON.stringify(families)).digest('base64url').slice(0, 16);
});

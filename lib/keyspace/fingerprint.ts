import { createHash } from 'node:crypto';
import type { Registry } from './registry';

const made = new WeakMap<Registry, string>();

/** Identifies how a catalog classifies keys: equal for catalogs with the same families and patterns. */
export const fingerprintOf = (catalog: Registry): string => {
  const known = made.get(catalog);
  if (known !== undefined) return known;
  const families = catalog.families.map(({ id, pattern, params, type, ttl, identifyingFields }) => [
    id,
    pattern,
    type,
    ttl,
    identifyingFields ?? null,
    Object.entries(params).map(([name, { description, min, max }]) => [name, description, min, max]),
  ]);
  const digest = createHash('sha256').update(JSON.stringify(families)).digest('base64url').slice(0, 16);
  made.set(catalog, digest);
  return digest;
};

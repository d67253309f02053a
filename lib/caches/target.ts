import 'server-only';
import { CONSOLE_PREFIX } from '@/lib/catalog/apps/console';
import { displayKey, displayParams, keyFromId } from '@/lib/catalog/display';
import type { Family } from '@/lib/catalog/family';
import type { Registry } from '@/lib/catalog/registry';
import { badInput } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import type { InvalidationTarget } from './schema';

/** What an invalidation reaches, resolved against the catalog. */
export type Target =
  | { kind: 'keys'; keys: Key[] }
  | { kind: 'family'; family: Family; params: Record<string, string>; match: string };

const OWN = 'console';
const OWN_PREFIX = Buffer.from(CONSOLE_PREFIX);

/** The console's own keys, and what looks like one: never an application's cache. */
const isOwn = (catalog: Registry, key: Key): boolean =>
  key.subarray(0, OWN_PREFIX.length).equals(OWN_PREFIX) || catalog.classify(key).family?.app === OWN;

const refuse = (path: string, message: string) => badInput([{ path, message }]);

const keysTarget = (catalog: Registry, keyIds: readonly string[]): Target => {
  const seen = new Map<string, Key>();
  keyIds.forEach((id, index) => {
    const key = keyFromId(id);
    if (!key || key.length === 0) throw refuse(`keyIds[${index}]`, 'This is not a key id.');
    if (isOwn(catalog, key)) throw refuse(`keyIds[${index}]`, "This is a key of the console's own.");
    seen.set(id, key);
  });
  return { kind: 'keys', keys: [...seen.values()] };
};

const fits = (family: Family, name: string, value: string): boolean => {
  try {
    family.match({ [name]: value });
    return true;
  } catch {
    return false;
  }
};

/** A parameter may end in `*` (or hold one) to reach every value that fits: `params: { id: '12*' }`. */
const familyTarget = (catalog: Registry, id: string, params: Record<string, string>): Target => {
  const family = catalog.get(id);
  if (!family || family.type === 'channel') throw refuse('family', 'The connection has no such family.');
  if (family.app === OWN) throw refuse('family', "These are the console's own keys.");
  const unknown = Object.keys(params).find((name) => !family.paramNames.includes(name));
  if (unknown !== undefined) throw refuse(`params.${unknown}`, `${family.pattern} has no such parameter.`);
  const literal = Object.entries(params).filter(([, value]) => !value.includes('*'));
  for (const [name, value] of literal) {
    if (!fits(family, name, value))
      throw refuse(`params.${name}`, `No key of ${family.pattern} has such a value.`);
  }
  return { kind: 'family', family, params, match: family.match(Object.fromEntries(literal)) };
};

/** Resolves a target. Throws 400 for what names nothing or the console's own keys. */
export const resolveTarget = (catalog: Registry, input: InvalidationTarget): Target =>
  input.keyIds ? keysTarget(catalog, input.keyIds) : familyTarget(catalog, input.family!, input.params ?? {});

/** `12*` matches what begins with 12; `*` alone everything. Linear: parts are looked for from left to right. */
export const fitsParam = (wanted: string, value: string): boolean => {
  const parts = wanted.split('*');
  if (parts.length === 1) return wanted === value;
  let at = parts[0]!.length;
  if (!value.startsWith(parts[0]!)) return false;
  for (const part of parts.slice(1, -1)) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = parts[parts.length - 1]!;
  return value.length - last.length >= at && value.endsWith(last);
};

/** Whether a key that SCAN MATCH gave really is meant: the glob is wider than the family. */
export const reaches = (
  catalog: Registry,
  target: Extract<Target, { kind: 'family' }>,
  key: Key,
): boolean => {
  const found = catalog.classify(key);
  if (found.family === null || found.family.id !== target.family.id || isOwn(catalog, key)) return false;
  return Object.entries(target.params).every(([name, wanted]) => fitsParam(wanted, found.params[name] ?? ''));
};

/**
 * Whether it touches sessions, tokens, env vars or locks: then `caches:invalidate-sensitive` is needed. So it is
 * for exact keys of no family, which nobody can say to be a cache.
 */
export const isSensitive = (catalog: Registry, target: Target): boolean => {
  if (target.kind === 'family') return target.family.guarded ?? false;
  return target.keys.some((key) => isSensitiveKey(catalog, key));
};

export const isSensitiveKey = (catalog: Registry, key: Key): boolean => {
  const found = catalog.classify(key);
  const family = found.family ?? found.malformedOf;
  return family ? (family.guarded ?? false) : true;
};

/** The target in one line for the audit log and the jobs page: secrets inside key names are masked. */
export const describeTarget = (catalog: Registry, target: Target): string => {
  if (target.kind === 'keys') {
    const [first] = target.keys;
    const more = target.keys.length - 1;
    return displayKey(first!, catalog) + (more > 0 ? ` and ${more} more` : '');
  }
  const shown = displayParams(target.family, target.params, catalog);
  const narrowed = Object.keys(target.params).map((name) => `${name}=${shown[name]}`);
  return target.family.id + (narrowed.length > 0 ? ` (${narrowed.join(', ')})` : '');
};

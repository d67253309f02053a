import 'server-only';
import { displayBytes, escapeGlob, keyId } from '@/lib/catalog/display';
import type { Family } from '@/lib/catalog/family';
import type { ReadContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { scanKeys } from '@/lib/redis/scan';
import { SECOND } from '@/lib/time';

/** Flags are the environment variables of this category (000 §2: features, FEATURE_*). */
export const FLAG_PREFIX = 'FEATURE_';

export interface NamedFlag {
  name: string;
  key: Key;
}

/** The family flags are kept in. 404 where the connection's apps have none. */
export const envFamily = (ctx: ReadContext): Family => {
  const family = ctx.catalog.get('discours.env-vars');
  if (!family) throw notFound(`A feature flag on connection "${ctx.connection.config.id}"`);
  return family;
};

export const isFlagName = (name: string): boolean => name.startsWith(FLAG_PREFIX);

/** The key of a flag; null for a name that no flag can have (one that the catalog takes for something else too). */
export const flagKey = (ctx: ReadContext, name: string): Key | null => {
  const family = envFamily(ctx);
  if (!isFlagName(name)) return null;
  let key: Key;
  try {
    key = family.key({ name });
  } catch {
    return null;
  }
  return ctx.catalog.classify(key).family === family ? key : null;
};

const namedFlag = (ctx: ReadContext, family: Family, key: Key): NamedFlag | null => {
  const found = ctx.catalog.classify(key);
  if (found.family === family) return { name: found.params.name!, key };
  // A name that is no UTF-8 text is in use all the same and must be shown.
  if (found.family === null && found.malformedOf === family)
    return { name: displayBytes(key.subarray(family.compiled.literals[0]!.length), 200), key };
  return null;
};

const scanNames = async (ctx: ReadContext, family: Family): Promise<NamedFlag[]> => {
  const flags = new Map<string, NamedFlag>();
  const match = `${family.match().replace(/\*$/, '')}${escapeGlob(FLAG_PREFIX)}*`;
  for await (const { keys } of scanKeys(ctx.connection, { match })) {
    for (const key of keys) {
      const flag = namedFlag(ctx, family, key);
      if (flag) flags.set(keyId(key), flag);
    }
  }
  return [...flags.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
};

interface Remembered {
  names: Promise<NamedFlag[]>;
  /** Epoch ms; Infinity while the scan runs. */
  until: number;
}

/** A scan that takes no longer is made each time, so that a flag just written by an application is there. */
const CHEAP_MS = SECOND / 2;
const LONGEST_MS = 60 * SECOND;

// Routes do not share module state under Next (traps.md), and a change must be seen by all of them.
const shared = globalThis as { keywardFlagNames?: WeakMap<ConnectionHandle, Remembered> };
const remembered = (): WeakMap<ConnectionHandle, Remembered> => {
  shared.keywardFlagNames ??= new WeakMap();
  return shared.keywardFlagNames;
};

/**
 * The names and keys of all flags, by name. One scan at a time; one that took long is kept for twice as long as it
 * took: a large keyspace is not scanned without pause. Values are never kept.
 */
export const flagNames = (ctx: ReadContext): Promise<NamedFlag[]> => {
  const family = envFamily(ctx);
  const cache = remembered();
  const known = cache.get(ctx.connection);
  if (known && known.until > Date.now()) return known.names;
  const started = Date.now();
  const entry: Remembered = { names: scanNames(ctx, family), until: Infinity };
  cache.set(ctx.connection, entry);
  entry.names.then(
    () => {
      const took = Date.now() - started;
      entry.until = took <= CHEAP_MS ? 0 : Date.now() + Math.min(LONGEST_MS, 2 * took);
    },
    () => {
      if (cache.get(ctx.connection) === entry) cache.delete(ctx.connection);
    },
  );
  return entry.names;
};

/** The next list scans anew: after a change through us. */
export const forgetFlagNames = (connection: ConnectionHandle): void => {
  remembered().delete(connection);
};

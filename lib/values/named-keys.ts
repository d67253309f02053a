import 'server-only';
import { inBackground } from '@/lib/background';
import type { ReadContext } from '@/lib/command/context';
import { keyId } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import { processWidePer } from '@/lib/process-wide';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { scanKeys } from '@/lib/redis/scan';
import { countWithRestart } from '@/lib/redis/server-process';
import { SECOND } from '@/lib/time';
import { type IndexedNames, MAX_INDEXED_NAMES, type NameIndex, writeNameIndex } from './name-index';
import { nameBytes, nameOf } from './name-text';

/** Keys of one family whose only parameter is a name: variables or flags. */
export interface NamedFamily {
  family: Family;
  /** The stored index with their names. */
  index: IndexedNames;
}

export interface NamedKey {
  /** As `nameOf` returns it. */
  name: string;
  key: Key;
}

/** The bytes around the name. */
const around = ({ compiled }: Family): [Uint8Array, Uint8Array] => [
  compiled.literals[0]!,
  compiled.literals[compiled.literals.length - 1]!,
];

/** The name in a key, also in a malformed one of the family. */
export const nameInKey = (family: Family, key: Key): string => {
  const [before, after] = around(family);
  return nameOf(key.subarray(before.length, Math.max(before.length, key.length - after.length)));
};

/** The key with these bytes as its name, whether or not the family's grammar permits it. */
export const keyOfBytes = (family: Family, bytes: Uint8Array): Key => {
  const [before, after] = around(family);
  return Buffer.concat([before, bytes, after]);
};

/** Whether the catalog classifies the key as one of the family, malformed names included. */
const isOf = ({ catalog }: Pick<ReadContext, 'catalog'>, family: Family, key: Key): boolean => {
  const located = catalog.locate(key);
  return located.family === family || (located.family === null && located.malformedOf === family);
};

/**
 * The key of a name. Names outside the grammar exist in practice. Null for a name that no key can have, also if the
 * catalog assigns the key to another family.
 */
export const keyNamed = (ctx: Pick<ReadContext, 'catalog'>, family: Family, name: string): Key | null => {
  const bytes = nameBytes(name);
  if (!bytes) return null;
  const key = keyOfBytes(family, bytes);
  return isOf(ctx, family, key) ? key : null;
};

const scanNames = async (ctx: ReadContext, family: Family): Promise<NamedKey[]> => {
  const byName = new Map<string, NamedKey>();
  for await (const { keys } of scanKeys(ctx.connection, { match: family.match() })) {
    for (const key of keys)
      if (isOf(ctx, family, key)) byName.set(keyId(key), { name: nameInKey(family, key), key });
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
};

export interface NameScan {
  startedAt: number;
  names: Promise<NamedKey[]>;
  /** Epoch ms; Infinity while the scan runs. */
  until: number;
  /** The same for polling clients: long enough that scans take at most a third of the time. */
  pollableUntil: number;
}

/** How long a list waits for a running scan before it uses the names of the last one, ms. */
export const WALK_MS_OF_REQUEST = 100;

export interface WalkOptions {
  polling?: boolean;
  fresh?: boolean;
}

/** Shorter scans are repeated for every list, so keys just written by an application are included. */
const CHEAP_MS = SECOND / 2;
const MAX_MS = 60 * SECOND;

/** By connection, then by the declared family: a catalog file can change it. */
const scans = processWidePer('name-scans', (_: ConnectionHandle) => new Map<string, NameScan>());
const latest = processWidePer('name-scans-latest', (_: ConnectionHandle) => new Map<string, NameIndex>());

const declared = ({ id, pattern }: Family): string => `${id} ${pattern}`;

/** The last complete scan of this process, unless it found too many names to index. */
export const latestScan = (connection: ConnectionHandle, family: Family): NameIndex | null =>
  latest(connection).get(declared(family)) ?? null;

/** Records the latest scan, unless a scan that started later ended earlier. */
export const rememberScan = (connection: ConnectionHandle, family: Family, index: NameIndex): void => {
  if ((latestScan(connection, family)?.at ?? 0) > index.at) return;
  if (index.names.length <= MAX_INDEXED_NAMES) latest(connection).set(declared(family), index);
  else latest(connection).delete(declared(family));
};

/**
 * Names and keys of a complete family, sorted. Single flight. The result of a long scan is cached for twice the scan's
 * time, so a large keyspace is not scanned continuously; with `polling` every result is cached, with `fresh` none.
 */
export const walkOf = (
  ctx: ReadContext,
  { family, index: kind }: NamedFamily,
  { polling = false, fresh = false }: WalkOptions,
): NameScan => {
  const cache = scans(ctx.connection);
  const known = cache.get(declared(family));
  if (known && !fresh && (polling ? known.pollableUntil : known.until) > Date.now()) return known;
  const startedAt = Date.now();
  const names = countWithRestart(ctx.connection, () => scanNames(ctx, family));
  const entry: NameScan = { startedAt, names, until: Infinity, pollableUntil: Infinity };
  cache.set(declared(family), entry);
  entry.names.then(
    (found) => {
      const took = Date.now() - startedAt;
      const index = { at: startedAt, names: found.map(({ name }) => name) };
      rememberScan(ctx.connection, family, index);
      entry.pollableUntil = Date.now() + Math.min(MAX_MS, 2 * took);
      entry.until = took <= CHEAP_MS ? 0 : entry.pollableUntil;
      // Stored, so that the next list need not wait for a scan.
      if (took > WALK_MS_OF_REQUEST)
        inBackground(writeNameIndex(ctx.store, kind, ctx.connection.config.id, index));
    },
    () => {
      if (cache.get(declared(family)) === entry) cache.delete(declared(family));
    },
  );
  return entry;
};

/** Discards the cached scans after a change through Keyward. */
export const forgetNames = (connection: ConnectionHandle): void => {
  scans(connection).clear();
};

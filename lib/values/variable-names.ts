import 'server-only';
import { utf8SequenceLength } from '@/lib/catalog/bytes';
import { keyId } from '@/lib/catalog/display';
import type { Family } from '@/lib/catalog/family';
import type { ReadContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { scanKeys } from '@/lib/redis/scan';
import { countWithRestart } from '@/lib/redis/server-process';
import { SECOND } from '@/lib/time';
import { EMPTY_NAME } from './schema';
import { MAX_INDEXED_NAMES, type VariableIndex, writeVariableIndex } from './variable-index';

export interface NamedVariable {
  /** As `nameOf` returns it. */
  name: string;
  key: Key;
}

/** Flags are the variables of this category (000 §2: features, FEATURE_*). */
export const FLAG_PREFIX = 'FEATURE_';

export const isFlagName = (name: string): boolean => name.startsWith(FLAG_PREFIX);

/** Family of the environment variables and flags. 404 if the connection's applications have none. */
export const variableFamily = (ctx: Pick<ReadContext, 'catalog' | 'connection'>): Family => {
  const family = ctx.catalog.get('discours.env-vars');
  if (!family) throw notFound(`An environment variable on connection "${ctx.connection.config.id}"`);
  return family;
};

const escapeByte = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`;
const ESCAPED = /\\x(?:([0-9a-f]{2})|\{\})/g;
const BACKSLASH = 0x5c;

const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;

/** A backslash that would read as an escape must be escaped itself, so different names stay different. */
const beginsEscape = (bytes: Buffer, at: number): boolean =>
  bytes[at] === BACKSLASH && /^\\x([0-9a-f]{2}|\{\})$/.test(bytes.toString('latin1', at, at + 4));

/**
 * A name's bytes as text: UTF-8, with `\xNN` for control characters and invalid UTF-8, and `EMPTY_NAME` for no bytes.
 * `nameBytes` is the inverse.
 */
export const nameOf = (bytes: Buffer): string => {
  if (bytes.length === 0) return EMPTY_NAME;
  let out = '';
  for (let at = 0; at < bytes.length; ) {
    const length = utf8SequenceLength(bytes, at, bytes.length);
    const plain = length > 1 || (length === 1 && !isControl(bytes[at]!) && !beginsEscape(bytes, at));
    const next = at + Math.max(length, 1);
    out += plain ? bytes.toString('utf8', at, next) : escapeByte(bytes[at]!);
    at = next;
  }
  return out;
};

/** Inverse of `nameOf`; null for text that `nameOf` never returns. */
export const nameBytes = (name: string): Buffer | null => {
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of name.matchAll(ESCAPED)) {
    parts.push(Buffer.from(name.slice(from, match.index)), Buffer.from(match[1] ?? '', 'hex'));
    from = match.index + match[0].length;
  }
  const bytes = Buffer.concat([...parts, Buffer.from(name.slice(from))]);
  return nameOf(bytes) === name ? bytes : null;
};

const prefixOf = (family: Family): Uint8Array => family.compiled.literals[0]!;

/** Name of the variable with this key, also for malformed keys of the family. */
export const variableNameIn = (family: Family, key: Key): string =>
  nameOf(key.subarray(prefixOf(family).length));

/** Whether the catalog classifies the key as a variable, malformed names included. */
const isVariable = (ctx: ReadContext, family: Family, key: Key): boolean => {
  const found = ctx.catalog.classify(key);
  return found.family === family || (found.family === null && found.malformedOf === family);
};

const build = (family: Family, bytes: Buffer): Key => {
  const name = bytes.toString('utf8');
  try {
    // Invalid UTF-8 would be decoded as another name, which the grammar may accept.
    if (Buffer.from(name).equals(bytes)) return family.key({ name });
    return Buffer.concat([prefixOf(family), bytes]);
  } catch {
    // Names outside the grammar exist in practice: build the key from the family's prefix and the bytes.
    return Buffer.concat([prefixOf(family), bytes]);
  }
};

/** A variable's key; null for a name that no variable can have, also if the catalog assigns the key to another family. */
export const variableKey = (ctx: ReadContext, name: string): Key | null => {
  const family = variableFamily(ctx);
  const bytes = nameBytes(name);
  if (!bytes) return null;
  const key = build(family, bytes);
  return isVariable(ctx, family, key) && nameOf(key.subarray(prefixOf(family).length)) === name ? key : null;
};

const scanNames = async (ctx: ReadContext, family: Family): Promise<NamedVariable[]> => {
  const found = new Map<string, NamedVariable>();
  for await (const { keys } of scanKeys(ctx.connection, { match: family.match() })) {
    for (const key of keys) {
      if (!isVariable(ctx, family, key)) continue;
      found.set(keyId(key), { name: variableNameIn(family, key), key });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
};

interface NameScan {
  startedAt: number;
  names: Promise<NamedVariable[]>;
  /** Epoch ms; Infinity while the scan runs. */
  until: number;
  /** The same for polling clients: long enough that scans take at most a third of the time. */
  pollableUntil: number;
}

/** How long a list waits for a running scan before it uses the names of the last one, ms. */
export const WALK_MS_OF_REQUEST = 100;

interface WalkOptions {
  polling?: boolean;
  fresh?: boolean;
}

/** Scans up to this long are repeated for every list, so variables just written by an application are included. */
const CHEAP_MS = SECOND / 2;
const MAX_MS = 60 * SECOND;

const scans = processWide('variable-names', () => new WeakMap<ConnectionHandle, NameScan>());
const latest = processWide('variable-names-latest', () => new WeakMap<ConnectionHandle, VariableIndex>());

/** What the last complete scan of this process found, unless that was too much to index. */
export const latestScan = (connection: ConnectionHandle): VariableIndex | null =>
  latest().get(connection) ?? null;

/** Makes it the latest scan, unless a scan that started later ended sooner. */
export const rememberScan = (connection: ConnectionHandle, index: VariableIndex): void => {
  if ((latestScan(connection)?.at ?? 0) > index.at) return;
  if (index.names.length <= MAX_INDEXED_NAMES) latest().set(connection, index);
  else latest().delete(connection);
};

/**
 * Names and keys of all variables including flags, sorted. Single flight. The result of a long scan is cached for twice
 * the scan's time, so a large keyspace is not scanned continuously; with `polling` every result is, with `fresh` none.
 */
export const variableNames = (ctx: ReadContext, options: WalkOptions = {}): Promise<NamedVariable[]> =>
  walkOf(ctx, options).names;

/** The cached scan, or a new one. */
export const walkOf = (ctx: ReadContext, { polling = false, fresh = false }: WalkOptions): NameScan => {
  const family = variableFamily(ctx);
  const cache = scans();
  const known = cache.get(ctx.connection);
  if (known && !fresh && (polling ? known.pollableUntil : known.until) > Date.now()) return known;
  const startedAt = Date.now();
  const names = countWithRestart(ctx.connection, () => scanNames(ctx, family));
  const entry: NameScan = { startedAt, names, until: Infinity, pollableUntil: Infinity };
  cache.set(ctx.connection, entry);
  entry.names.then(
    (found) => {
      const took = Date.now() - startedAt;
      const index = { at: startedAt, names: found.map(({ name }) => name) };
      rememberScan(ctx.connection, index);
      entry.pollableUntil = Date.now() + Math.min(MAX_MS, 2 * took);
      entry.until = took <= CHEAP_MS ? 0 : entry.pollableUntil;
      if (took > WALK_MS_OF_REQUEST) storeIndex(ctx, index);
    },
    () => {
      if (cache.get(ctx.connection) === entry) cache.delete(ctx.connection);
    },
  );
  return entry;
};

/** Stores the names of a long scan, so the next list need not wait for one. */
const storeIndex = (ctx: ReadContext, index: VariableIndex): void =>
  void writeVariableIndex(ctx.store, ctx.connection.config.id, index).catch(() => undefined);

/** Discards the cached scan after a change through Keyward. */
export const forgetVariableNames = (connection: ConnectionHandle): void => {
  scans().delete(connection);
};

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
import { type VariableIndex, writeVariableIndex } from './variable-index';

export interface NamedVariable {
  /** As `nameOf` writes it. */
  name: string;
  key: Key;
}

/** Flags are the variables of this category (000 §2: features, FEATURE_*). */
export const FLAG_PREFIX = 'FEATURE_';

export const isFlagName = (name: string): boolean => name.startsWith(FLAG_PREFIX);

/** The family environment variables and flags are kept in. 404 where the connection's apps have none. */
export const variableFamily = (ctx: Pick<ReadContext, 'catalog' | 'connection'>): Family => {
  const family = ctx.catalog.get('discours.env-vars');
  if (!family) throw notFound(`An environment variable on connection "${ctx.connection.config.id}"`);
  return family;
};

const escapeByte = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`;
const ESCAPED = /\\x(?:([0-9a-f]{2})|\{\})/g;
const BACKSLASH = 0x5c;

const isControl = (byte: number): boolean => byte < 0x20 || byte === 0x7f;

/** A backslash that would read as the beginning of an escape is written as one, so that names stay distinct. */
const beginsEscape = (bytes: Buffer, at: number): boolean =>
  bytes[at] === BACKSLASH && /^\\x([0-9a-f]{2}|\{\})$/.test(bytes.toString('latin1', at, at + 4));

/**
 * A name's bytes as text: UTF-8, with `\xNN` for control characters and what is no UTF-8; of no bytes the empty name's
 * own. `nameBytes` reads it back.
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

/** The bytes `nameOf` wrote as this text; null for text it never writes. */
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

/** The name of the variable that a key of this family, also a malformed one, is of. */
export const variableNameIn = (family: Family, key: Key): string =>
  nameOf(key.subarray(prefixOf(family).length));

/** Whether the catalog takes the key for a variable, a badly named one included. */
const isVariable = (ctx: ReadContext, family: Family, key: Key): boolean => {
  const found = ctx.catalog.classify(key);
  return found.family === family || (found.family === null && found.malformedOf === family);
};

const build = (family: Family, bytes: Buffer): Key => {
  const name = bytes.toString('utf8');
  try {
    // What is no UTF-8 would be read as another name, which the grammar may accept.
    if (Buffer.from(name).equals(bytes)) return family.key({ name });
    return Buffer.concat([prefixOf(family), bytes]);
  } catch {
    // Names the grammar refuses are in use all the same; only the catalog's prefix and their own bytes make them up.
    return Buffer.concat([prefixOf(family), bytes]);
  }
};

/** The key of a variable; null for a name that no variable can have (one that the catalog takes for something else too). */
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

interface Remembered {
  startedAt: number;
  names: Promise<NamedVariable[]>;
  /** Epoch ms; Infinity while the scan runs. */
  until: number;
  /** The same for who asks all the time: so long that no more than a third of the time goes into scans. */
  pollableUntil: number;
}

/** How long a list waits for a walk that is under way before it answers with the names of the last one, ms. */
export const WALK_MS_OF_REQUEST = 100;

interface WalkOptions {
  polling?: boolean;
  fresh?: boolean;
}

/** A scan that takes no longer is made each time, so that a variable just written by an application is there. */
const CHEAP_MS = SECOND / 2;
const MAX_MS = 60 * SECOND;

const remembered = processWide('variable-names', () => new WeakMap<ConnectionHandle, Remembered>());

/**
 * The names and keys of all variables, flags among them, by name. One scan at a time; one that took long is kept for
 * twice as long as it took: a large keyspace is not scanned without pause. For who polls, so is any; for who
 * wants it `fresh`, as a backup does, none. Values are never kept.
 */
export const variableNames = (ctx: ReadContext, options: WalkOptions = {}): Promise<NamedVariable[]> =>
  walkOf(ctx, options).names;

/** The walk that answers: one that was made lately, or a new one. */
export const walkOf = (ctx: ReadContext, { polling = false, fresh = false }: WalkOptions): Remembered => {
  const family = variableFamily(ctx);
  const cache = remembered();
  const known = cache.get(ctx.connection);
  if (known && !fresh && (polling ? known.pollableUntil : known.until) > Date.now()) return known;
  const startedAt = Date.now();
  const names = countWithRestart(ctx.connection, () => scanNames(ctx, family));
  const entry: Remembered = { startedAt, names, until: Infinity, pollableUntil: Infinity };
  cache.set(ctx.connection, entry);
  entry.names.then(
    (found) => {
      const took = Date.now() - startedAt;
      entry.pollableUntil = Date.now() + Math.min(MAX_MS, 2 * took);
      entry.until = took <= CHEAP_MS ? 0 : entry.pollableUntil;
      if (took > WALK_MS_OF_REQUEST) keepIndex(ctx, { at: startedAt, names: found.map(({ name }) => name) });
    },
    () => {
      if (cache.get(ctx.connection) === entry) cache.delete(ctx.connection);
    },
  );
  return entry;
};

/** The next walk may take as long as this one: what it met is kept for a list to begin with. */
const keepIndex = (ctx: ReadContext, index: VariableIndex): void =>
  void writeVariableIndex(ctx.store, ctx.connection.config.id, index).catch(() => undefined);

/** The next list scans anew: after a change through us. */
export const forgetVariableNames = (connection: ConnectionHandle): void => {
  remembered().delete(connection);
};

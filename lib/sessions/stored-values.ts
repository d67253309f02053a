import 'server-only';
import { createHash } from 'node:crypto';
import type { ReadContext } from '@/lib/command/context';
import { isLosslessNumber, isNumber, parseJsonObject, scalarText, writeJson } from '@/lib/exact-json';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { inBatches, readEach } from '@/lib/values/read-each';
import { textOf } from '@/lib/values/string-value';
import { type SessionKey, userIdOf } from './keys';
import { FACT_LIMITS, factIn, type SessionStorage, type StoredFact, type StoredValue } from './storage';

/** Longer strings are not read completely. */
export const MAX_VALUE_BYTES = 16_384;
/** The script's JSON parser refuses deeper nesting; a value with fewer brackets cannot exceed it. */
const MAX_BRACKETS = 500;

const numberOr = (reply: unknown, fallback: number): number => (typeof reply === 'number' ? reply : fallback);

/** The owner of a value without a user: a ghost. */
export const UNOWNED = Buffer.from('none');
/** Any owner, because the key itself contains the user. */
export const ANY_OWNER = Buffer.alloc(0);

export const ownedBy = (user: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from('user:'), Buffer.from(user as string)]);

const valueMark = (bytes: Buffer, length: number): Buffer =>
  Buffer.from(`value:${createHash('sha1').update(bytes).digest('hex')}:${length}`);

/** A property as text; undefined if missing, null if unreadable. */
const propertyOf = ({ name, path }: StoredFact, value: object): Buffer | null | undefined => {
  let property: unknown = value;
  for (const step of path) {
    if (property === null || property === undefined) return undefined;
    if (typeof property !== 'object') return null;
    property = Object.hasOwn(property, step) ? (property as Record<string, unknown>)[step] : undefined;
  }
  const text = textIn(property, name === 'device');
  return text === null || text === undefined || text.length <= FACT_LIMITS[name] ? text : null;
};

const textIn = (value: unknown, mayNest: boolean): Buffer | null | undefined => {
  if (value === null || value === undefined) return undefined;
  const text = scalarText(value);
  if (text !== null) return Buffer.from(text);
  if (typeof value !== 'object' || !mayNest) return null;
  try {
    return Buffer.from(writeJson(value));
  } catch {
    // Nested too deeply to be serialised.
    return null;
  }
};

const bracketsIn = (bytes: Buffer): number =>
  bytes.reduce((n, byte) => n + Number(byte === 0x5b || byte === 0x7b), 0);

/** Half a surrogate pair: the script's parser refuses it. */
const HALF_CHARACTER =
  /\\ud[89ab][\da-f]{2}(?!\\ud[c-f][\da-f]{2})|(?<!\\ud[89ab][\da-f]{2})\\ud[c-f][\da-f]{2}/iu;

/** Whether the script finds the same user in this value. */
const isReadAlike = (storage: SessionStorage, bytes: Buffer, value: object): boolean => {
  if (bracketsIn(bytes) > MAX_BRACKETS || HALF_CHARACTER.test(bytes.toString('latin1'))) return false;
  let property: unknown = value;
  for (const step of factIn(storage, 'userId')!.path) {
    // Lua counts list elements from 1.
    if (Array.isArray(property)) return false;
    property =
      typeof property === 'object' && property !== null
        ? (property as Record<string, unknown>)[step]
        : undefined;
  }
  // Lua numbers have 53 bits.
  return !Object.is(property, -0) && !isLosslessNumber(property);
};

/** The user in a JSON object: text, or an integer. */
const userIn = (storage: SessionStorage, value: object, user: Buffer | null | undefined): string | null => {
  const fact = factIn(storage, 'userId')!;
  const property = fact.path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[step] : undefined,
    value,
  );
  if (isNumber(property) && !/^\d+$/.test(String(property))) return null;
  return user ? userIdOf(user) : null;
};

const fromString = (storage: SessionStorage, bytes: Buffer, length: number) => {
  const unchanged = valueMark(bytes, length);
  const nothing = { fieldCount: 0, fields: {}, userId: null, owner: unchanged, unchanged };
  const value = length > MAX_VALUE_BYTES ? null : parseJsonObject(textOf(bytes) ?? '');
  if (!value) {
    const isTooMuch = length > MAX_VALUE_BYTES || bracketsIn(bytes) > MAX_BRACKETS;
    return { ...nothing, readable: false, unread: isTooMuch };
  }
  const fields: StoredValue['fields'] = {};
  for (const fact of storage.facts) {
    const text = propertyOf(fact, value);
    if (text !== undefined) fields[fact.name] = text;
  }
  const read = { readable: true, fieldCount: Object.keys(value).length, fields, unchanged };
  if (storage.userParam !== null) return { ...read, userId: null, owner: ANY_OWNER };
  const userId = userIn(storage, value, fields.userId);
  if (fields.userId !== undefined && userId === null)
    return { ...read, userId, owner: unchanged, unread: true };
  // A value that the script may read differently is compared as a whole.
  if (!isReadAlike(storage, bytes, value)) return { ...read, userId, owner: unchanged };
  return { ...read, userId, owner: userId === null ? UNOWNED : ownedBy(userId) };
};

const readStrings = async (
  ctx: ReadContext,
  storage: SessionStorage,
  keys: readonly Key[],
): Promise<(StoredValue | null)[]> => {
  const replies = await readEach(ctx.reader, keys, (key) => [
    ['TYPE', key],
    ['PTTL', key],
    ['STRLEN', key],
    ['GETRANGE', key, 0, MAX_VALUE_BYTES - 1],
  ]);
  return replies.map(([type, pttl, length, bytes]) => {
    // A key without read permission may exist, so it must not count as missing.
    if (type instanceof Error) throw type;
    if (type === 'none' || pttl === -2) return null;
    const known = { pttl: numberOr(pttl, -1) };
    if (Buffer.isBuffer(bytes) && typeof length === 'number')
      return { ...known, ...fromString(storage, bytes, length) };
    return { ...known, ...ofOtherType(String(type)) };
  });
};

const ofOtherType = (type: string): Omit<StoredValue, 'pttl'> => {
  const owner = Buffer.from(`type:${type}`);
  return { readable: false, fieldCount: 0, fields: {}, userId: null, owner, unchanged: owner };
};

/** Per key: type, TTL, size, and the lengths of the fields, so that the next step loads nothing large. */
const probesOf = ({ facts }: SessionStorage, key: Key): ReadCommand[] => [
  ['TYPE', key],
  ['PTTL', key],
  ['HLEN', key],
  ...facts.map(({ field }): ReadCommand => ['HSTRLEN', key, field]),
];

interface Probe {
  type: string;
  pttl: number;
  fieldCount: number;
  /** Lengths of the existing fields. */
  lengths: Map<StoredFact, number>;
}

const toProbe = ({ facts }: SessionStorage, replies: readonly unknown[]): Probe => {
  const [type, pttl, fieldCount, ...lengths] = replies;
  // A key without read permission may exist, so it must not count as missing.
  if (type instanceof Error) throw type;
  const existing = facts.map((fact, i) => [fact, numberOr(lengths[i], 0)] as const);
  return {
    type: typeof type === 'string' ? type : 'none',
    pttl: numberOr(pttl, -2),
    fieldCount: numberOr(fieldCount, 0),
    lengths: new Map(existing.filter(([, length]) => length > 0)),
  };
};

const loadable = ({ lengths }: Probe): StoredFact[] =>
  [...lengths].filter(([{ name }, length]) => length <= FACT_LIMITS[name]).map(([fact]) => fact);

const fromHash = (storage: SessionStorage, probe: Probe, fields: StoredValue['fields']): StoredValue => {
  const { type, pttl, fieldCount, lengths } = probe;
  if (type !== 'hash') return { ...ofOtherType(type), pttl };
  const read = { readable: true, pttl, fieldCount, fields };
  if (storage.userParam !== null) return { ...read, userId: null, owner: ANY_OWNER, unchanged: ANY_OWNER };
  const user = fields.userId;
  const tooLong = () => Buffer.from(`long:${[...lengths].find(([{ name }]) => name === 'userId')?.[1]}`);
  const owner = user === undefined ? UNOWNED : user === null ? tooLong() : ownedBy(user);
  return { ...read, userId: user ? userIdOf(user) : null, owner, unchanged: owner };
};

/** Reads hashes by commands, in two round trips for all keys together. */
export const readHashes = async (
  ctx: ReadContext,
  storage: SessionStorage,
  keys: readonly Key[],
): Promise<(StoredValue | null)[]> => {
  const found = await readEach(ctx.reader, keys, (key) => probesOf(storage, key));
  const probes = found.map((replies) => toProbe(storage, replies));
  const commands = keys.flatMap((key, i): ReadCommand[] => {
    const fields = loadable(probes[i]!).map(({ field }) => field);
    return fields.length > 0 ? [['HMGET', key, ...fields]] : [];
  });
  const replies: readonly unknown[] = await ctx.reader.readMany(commands);
  let next = 0;
  return keys.map((_, i) => {
    const probe = probes[i]!;
    const fields: StoredValue['fields'] = {};
    for (const { name } of probe.lengths.keys()) fields[name] = null;
    const loaded = loadable(probe);
    const values = loaded.length > 0 ? replies[next++] : [];
    if (Array.isArray(values)) {
      loaded.forEach(({ name }, at) => {
        fields[name] = (values[at] as Buffer | null) ?? undefined;
      });
    }
    return probe.type === 'none' || probe.pttl === -2 ? null : fromHash(storage, probe, fields);
  });
};

const BATCH_SIZE = 50;

type SessionPlace = Pick<SessionKey, 'storage' | 'key'>;

const factsInKey = ({ storage, key }: SessionPlace): StoredValue['fields'] => {
  const params = storage.inKey.length > 0 ? storage.family.parse(key) : null;
  const found = params ? storage.inKey : [];
  return Object.fromEntries(found.map(({ name, param }) => [name, Buffer.from(params![param]!)]));
};

/** The values of sessions of any shape; null for one that does not exist. */
export const readValues = (
  ctx: ReadContext,
  keys: readonly SessionPlace[],
): Promise<(StoredValue | null)[]> =>
  inBatches(keys, BATCH_SIZE, async (some) => {
    const { storage } = some[0]!;
    const read = storage.type === 'hash' ? readHashes : readStrings;
    const values = await read(
      ctx,
      storage,
      some.map(({ key }) => key),
    );
    return values.map(
      (value, i) => value && { ...value, fields: { ...value.fields, ...factsInKey(some[i]!) } },
    );
  });

import 'server-only';
import { firstFields } from '@/lib/key-values/first-fields';
import { type KeyState, readKeyState, stringState } from '@/lib/key-values/key-state';
import type { ElementContext } from '@/lib/key-values/raw-elements';
import type { Family } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { isWrongType, withoutPermission } from '@/lib/redis/failure';
import type { StringValue } from '@/lib/redis/reader';
import { isShared } from '@/lib/redis/shared-value';
import { isFlag } from '@/lib/values/lock-owner';
import { readEach } from '@/lib/values/read-each';
import { UNREADABLE } from '@/lib/values/string-value';

type Context = ElementContext;

export interface StoredLock {
  type: string;
  /** Epoch ms; null where it never expires. */
  expiresAt: number | null;
  /** Type and content, which a release compares; null where the content is too large to compare completely. */
  state: KeyState | null;
  /** The owner's token, or its beginning; null without one, or where it was not read. */
  owner: Buffer | null;
  /** Bytes of the complete token. */
  ownerLength: number;
  /**
   * For a comparable lock without an owner: its expiry by the server's clock, epoch ms, -1 for never; `ours` before
   * Redis 7, where only `expiresAt` is known.
   */
  expiry: number | 'ours' | null;
  /** How long it was neither read nor written, and therefore held at least; null where unknown. */
  idleSeconds: number | null;
}

/** Bytes read of every value; tokens are shorter. */
const MAX_OWNER_BYTES = 256;
/** Longer values are not read completely, and therefore not compared. */
const MAX_COMPARED_BYTES = 16 * 1024;
const MAX_OWNER_FIELDS = 20;

/** Possible names of the field, where the family declares none. */
const OWNER_FIELDS = ['owner', 'owner_id', 'ownerId', 'token', 'holder', 'locked_by', 'lockedBy', 'client'];
/** Redisson stores how often an owner holds the lock: then the field is the owner. */
const HOLD_COUNT = /^\d{1,10}$/;

type Owner = Pick<StoredLock, 'owner' | 'ownerLength'>;
const NO_OWNER: Owner = { owner: null, ownerLength: 0 };

/** Whether the value identifies the lock's owner. */
export const hasOwner = ({ owner, ownerLength }: Owner): boolean =>
  owner !== null && ownerLength > 0 && !isFlag(owner);

const ownerIn = (bytes: Buffer, length: number): Owner => ({
  owner: Buffer.from(bytes.subarray(0, MAX_OWNER_BYTES)),
  ownerLength: length,
});

const declaredFields = ({ parts }: Family): readonly string[] => {
  const { owner } = parts;
  return owner && 'field' in owner ? [owner.field, ...(owner.or ?? [])] : OWNER_FIELDS;
};

const ownerOfHash = async (ctx: Context, key: Key, family: Family): Promise<Owner> => {
  const { fields } = await firstFields(ctx, key, MAX_OWNER_FIELDS);
  for (const name of declaredFields(family)) {
    const [, value] = fields.find(([field]) => field!.bytes.toString('latin1') === name) ?? [];
    if (value) return ownerIn(value.bytes, value.length);
  }
  const [held] = fields.filter(([, count]) => HOLD_COUNT.test(count!.bytes.toString('latin1')));
  return held ? ownerIn(held[0]!.bytes, held[0]!.length) : NO_OWNER;
};

/** For a collection the state is read first, so that a lock that changes meanwhile no longer matches it. */
const readCollection = async (
  ctx: Context,
  { key, family }: NamedLock,
): Promise<(Owner & { state: KeyState | null }) | null> => {
  try {
    const state = await readKeyState(ctx, key);
    if (!state) return null;
    const owner = state.type === 'hash' ? await ownerOfHash(ctx, key, family) : NO_OWNER;
    return { state: state.digest === '' ? null : state, ...owner };
  } catch (error) {
    // The key was replaced by another type meanwhile.
    if (isWrongType(error)) return null;
    throw error;
  }
};

const ofString = (value: StringValue): Owner & { state: KeyState | null } => {
  const isWhole = value.bytes.length === value.length;
  return { state: isWhole ? stringState(value) : null, ...ownerIn(value.bytes, value.length) };
};

const readStrings = async ({ reader }: Context, keys: readonly Key[]): Promise<(StringValue | null)[]> => {
  const values = await reader.getStrings(keys, MAX_OWNER_BYTES);
  const isLonger = (value: (typeof values)[number]) =>
    value !== null &&
    !(value instanceof Error) &&
    value.length > MAX_OWNER_BYTES &&
    value.length <= MAX_COMPARED_BYTES;
  const longer = values.flatMap((value, i) => (isLonger(value) ? [i] : []));
  const whole = await reader.getStrings(
    longer.map((i) => keys[i]!),
    MAX_COMPARED_BYTES,
  );
  for (const [at, i] of longer.entries()) values[i] = whole[at]!;
  // An error means that the key was replaced by another type meanwhile.
  return values.map((value) => (value instanceof Error ? null : value));
};

interface NamedLock {
  key: Key;
  family: Family;
}

const toExpiry = (pttl: unknown): number | null =>
  typeof pttl === 'number' && pttl >= 0 ? Date.now() + pttl : null;

/** Exact, where the server reports expiry times. Null: it does not. */
const readExpiries = ({ reader }: Context, keys: readonly Key[]): Promise<unknown[] | null> =>
  reader.readMany(keys.map((key) => ['PEXPIRETIME', key] as const)).catch(withoutPermission(null));

/** Read first, because any read resets the idle time. Null where the server does not report it. */
const readIdle = async ({ reader }: Context, keys: readonly Key[]): Promise<(number | null)[]> => {
  const replies = await readEach(reader, keys, (key) => [
    ['OBJECT IDLETIME', key],
    ['OBJECT REFCOUNT', key],
  ]).catch(withoutPermission([]));
  return keys.map((_, i) => {
    const [idle, count] = replies[i] ?? [];
    return typeof idle === 'number' && !isShared(count) ? idle : null;
  });
};

const MISSING = -2;

/** Adds the expiries of locks without an owner. */
const withExpiries = async (
  ctx: Context,
  locks: readonly NamedLock[],
  found: readonly (StoredLock | null)[],
): Promise<(StoredLock | null)[]> => {
  const out = [...found];
  const flags = found.flatMap((lock, i) => (lock?.state && !hasOwner(lock) ? [i] : []));
  if (flags.length === 0) return out;
  const expiries = await readExpiries(
    ctx,
    flags.map((i) => locks[i]!.key),
  );
  for (const [at, i] of flags.entries()) {
    const lock = found[i]!;
    const expiry = expiries?.[at];
    out[i] = expiry === MISSING ? null : { ...lock, expiry: typeof expiry === 'number' ? expiry : 'ours' };
  }
  return out;
};

/**
 * Reads locks, in order; null for one that does not exist. Retains 256 bytes of each value. A lock that our Redis user
 * may not read has the type `unreadable`.
 */
export const readLocks = async (
  ctx: Context,
  locks: readonly NamedLock[],
): Promise<(StoredLock | null)[]> => {
  const idle = await readIdle(
    ctx,
    locks.map(({ key }) => key),
  );
  const replies = await readEach(ctx.reader, locks, ({ key }) => [
    ['TYPE', key],
    ['PTTL', key],
  ]);
  const facts = replies.map(([type, pttl]) => ({
    type: typeof type === 'string' ? type : UNREADABLE,
    expiresAt: toExpiry(pttl),
  }));
  const strings = locks.flatMap((_, i) => (facts[i]!.type === 'string' ? [i] : []));
  const read = await readStrings(
    ctx,
    strings.map((i) => locks[i]!.key),
  );
  const values = new Map(strings.map((i, at) => [i, read[at]]));
  const stored = await Promise.all(
    locks.map(async (lock, i): Promise<StoredLock | null> => {
      const { type, expiresAt } = facts[i]!;
      if (type === 'none') return null;
      const known = { type, expiresAt, expiry: null, idleSeconds: idle[i]! };
      if (type === UNREADABLE) return { ...known, state: null, ...NO_OWNER };
      const value = values.get(i);
      const read = type === 'string' ? value && ofString(value) : await readCollection(ctx, lock);
      return read ? { ...known, ...read } : null;
    }),
  );
  return withExpiries(ctx, locks, stored);
};

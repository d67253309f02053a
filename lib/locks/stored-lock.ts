import 'server-only';
import type { Family } from '@/lib/catalog/family';
import type { ReadContext } from '@/lib/command/context';
import { firstFields } from '@/lib/keys/first-fields';
import { type KeyState, readKeyState, stringState } from '@/lib/keys/key-state';
import type { Key } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import type { StringValue } from '@/lib/redis/reader';
import { UNREADABLE } from '@/lib/values/string-value';

type Context = Pick<ReadContext, 'connection' | 'reader'>;

/** A lock as it is stored. */
export interface StoredLock {
  type: string;
  /** Epoch ms; null where it does not expire. */
  expiresAt: number | null;
  /** Type and content, which a release compares; null where the content is too large to be compared completely. */
  state: KeyState | null;
  /** The owner's token, or its beginning; null where there is none, or it was not read. */
  owner: Buffer | null;
  /** Bytes of the complete token. */
  ownerLength: number;
}

/** Bytes that are read of every value; a token has fewer. */
const MAX_OWNER_BYTES = 256;
/** A longer value is not read completely, and so not compared. */
const MAX_COMPARED_BYTES = 16 * 1024;
const MAX_OWNER_FIELDS = 20;

/** The name of the field, where the family does not declare it. */
const OWNER_FIELDS = ['owner', 'owner_id', 'ownerId', 'token', 'holder', 'locked_by', 'lockedBy', 'client'];
/** How often its owner holds it, as Redisson writes it: the field is the owner. */
const HOLD_COUNT = /^\d{1,10}$/;

type Owner = Pick<StoredLock, 'owner' | 'ownerLength'>;
const NO_OWNER: Owner = { owner: null, ownerLength: 0 };

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

/** Of a collection: the state first, so that a lock which changes meanwhile no longer matches it. */
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
    // It was replaced by another type meanwhile.
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
  // An error: it was replaced by another type meanwhile.
  return values.map((value) => (value instanceof Error ? null : value));
};

interface NamedLock {
  key: Key;
  family: Family;
}

const toExpiry = (pttl: number | Error): number | null =>
  typeof pttl === 'number' && pttl >= 0 ? Date.now() + pttl : null;

/**
 * Reads locks, in order; null for one that does not exist. Of a value 256 bytes are kept. What our Redis user may not read
 * has the type `unreadable`.
 */
export const readLocks = async (
  ctx: Context,
  locks: readonly NamedLock[],
): Promise<(StoredLock | null)[]> => {
  const replies = await ctx.reader.readMany(
    locks.flatMap(({ key }) => [['TYPE', key] as const, ['PTTL', key] as const]),
  );
  const facts = locks.map((_, i) => {
    const [type, pttl] = [replies[2 * i] as string | Error, replies[2 * i + 1] as number | Error];
    return { type: type instanceof Error ? UNREADABLE : type, expiresAt: toExpiry(pttl) };
  });
  const strings = locks.flatMap((_, i) => (facts[i]!.type === 'string' ? [i] : []));
  const values = await readStrings(
    ctx,
    strings.map((i) => locks[i]!.key),
  );
  const found: (StoredLock | null)[] = [];
  for (const [i, lock] of locks.entries()) {
    const { type, expiresAt } = facts[i]!;
    if (type === 'none') found.push(null);
    else if (type === UNREADABLE) found.push({ type, expiresAt, state: null, ...NO_OWNER });
    else if (type === 'string') {
      const value = values[strings.indexOf(i)];
      found.push(value ? { type, expiresAt, ...ofString(value) } : null);
    } else {
      const read = await readCollection(ctx, lock);
      found.push(read && { type, expiresAt, ...read });
    }
  }
  return found;
};

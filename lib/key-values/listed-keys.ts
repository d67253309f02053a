import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { fallbackFor } from '@/lib/errors';
import { open, seal } from '@/lib/keyring';
import { badCursor, type PageInput } from '@/lib/list-page';
import type { Key } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import { partIn } from '@/lib/role-keys/part-in-key';
import type { RoleKeys } from '@/lib/role-keys/role-keys';
import { isoOrNull, ttlSeconds } from '@/lib/time';
import { inBatches, readEach } from '@/lib/values/read-each';
import { UNREADABLE } from '@/lib/values/string-value';
import { identify, type KeyIdentity } from './identity';
import type { ListedKey } from './schema';
import { type ValueAccess, valueAccess } from './value-access';

/** A key of a list by role, before its value is read. */
export interface Listed {
  key: Key;
  row: ListedKey;
  identity: KeyIdentity;
  /** What the caller may see of its value. */
  access: ValueAccess;
}

/** Names may hold secrets, so a cursor does not show the last one. */
const sealedFor = (ctx: ReadContext, list: string): string => `${ctx.connection.config.id} ${list}`;

const afterCursor = (ctx: ReadContext, list: string, cursor: string): Key => {
  const key = open('cursor', Buffer.from(cursor, 'base64url'), sealedFor(ctx, list));
  if (!key) throw badCursor();
  return key;
};

/** A page of keys in the order of their names. `list`: the operation, for which its cursors are valid. */
const pageOfKeys = (
  ctx: ReadContext,
  list: string,
  keys: readonly Key[],
  { cursor, limit = Infinity }: PageInput,
): { keys: Key[]; nextCursor: string | null } => {
  const after = cursor === undefined ? null : afterCursor(ctx, list, cursor);
  const left = keys.filter((key) => after === null || Buffer.compare(key, after) > 0).sort(Buffer.compare);
  const page = left.slice(0, limit);
  const next = left.length > limit ? seal('cursor', page.at(-1)!, sealedFor(ctx, list)) : null;
  return { keys: page, nextCursor: next?.toString('base64url') ?? null };
};

const nameOf = ({ family, shownParams, shown }: KeyIdentity): string =>
  (family && partIn(family, shownParams, 'name')) || shown;

const rowOf = (ctx: ReadContext, identity: KeyIdentity, [type, pttl]: readonly unknown[]): ListedKey => {
  const ttl = typeof pttl === 'number' ? ttlSeconds(pttl) : null;
  return {
    keyId: keyIdOf(ctx, identity.key),
    key: identity.shown,
    name: nameOf(identity),
    family: identity.family?.id ?? '',
    title: identity.family?.title ?? '',
    type: ttl === undefined ? 'none' : typeof type === 'string' ? type : UNREADABLE,
    ttlSeconds: ttl ?? null,
  };
};

/** Keys with what their names, types and TTLs say; `none` is the type of those that are gone. */
export const listKeys = async (ctx: ReadContext, keys: readonly Key[]): Promise<Listed[]> => {
  const [identities, replies] = await Promise.all([
    identify(ctx, keys),
    readEach(ctx.reader, keys, (key) => [
      ['TYPE', key],
      ['PTTL', key],
    ]),
  ]);
  await rememberLongKeys(ctx, keys);
  return identities.map((identity, i) => ({
    key: identity.key,
    row: rowOf(ctx, identity, replies[i]!),
    identity,
    access: valueAccess(ctx, identity),
  }));
};

/** Reads of values that run side by side. */
const BATCH_SIZE = 25;

/** The keys of a list, and what is known of the scan that found them. */
interface Found extends Pick<RoleKeys, 'isComplete' | 'foundAt'> {
  keys: readonly { key: Key }[];
}

/** A page of a list of keys by role, as `pageOfKeys`. `read`: the item of a key; null for one that is gone. */
export const listedItems = async <T>(
  ctx: ReadContext,
  list: string,
  { keys, isComplete, foundAt }: Found,
  page: PageInput,
  read: (listed: Listed) => Promise<T | null>,
) => {
  const named = keys.map(({ key }) => key);
  const { keys: shown, nextCursor } = pageOfKeys(ctx, list, named, page);
  const listed = await listKeys(ctx, shown);
  const items = await inBatches(listed, BATCH_SIZE, (batch) => Promise.all(batch.map(read)));
  return {
    items: items.filter((item) => item !== null),
    nextCursor,
    total: keys.length,
    complete: isComplete,
    foundAt: isoOrNull(foundAt),
  };
};

/** What `read` finds in a key of one of these types; for another one its problem. */
export const readTyped = async <T>(
  { row: { type } }: Listed,
  types: readonly string[],
  read: () => Promise<T>,
): Promise<T | { problem: 'unreadable' | 'wrongType' }> => {
  if (type === UNREADABLE) return { problem: 'unreadable' };
  if (!types.includes(type)) return { problem: 'wrongType' };
  // It may be replaced by a key of another type since its type was read.
  return read().catch(fallbackFor(isWrongType, { problem: 'wrongType' as const }));
};

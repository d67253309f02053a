import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import { displayParams, escapeGlob } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import { fitsGrammar } from '@/lib/keyspace/pattern';
import type { FamilyRole } from '@/lib/keyspace/roles';
import type { Key } from '@/lib/redis/commands';
import { paramOf, partIn } from '@/lib/role-keys/part-in-key';
import { textOf } from '@/lib/values/string-value';
import { GENERATED_ID, isUserId, NUMERIC_ID } from './schema';
import { type Keyspace, type SessionStorage, type StoredValue, storageOf } from './storage';

/** A key with the prefix of sessions. The token never leaves this folder, except as a digest. */
export interface SessionKey {
  storage: SessionStorage;
  key: Key;
  /** Null where neither the key nor its value contains a user. */
  userId: string | null;
  /** The index that should contain the session; null without indexes, or without a known user. */
  index: Key | null;
  token: Buffer;
  /** The session's member in an index: its token, or its key. */
  member: Buffer;
  /** Whether the key matches the family's grammar. */
  wellFormed: boolean;
  /** The value, where it was read to find the user. */
  value?: StoredValue;
}

export interface LegacyKey {
  key: Key;
  userId: string;
  /** For display: masked where it could contain a part of the token. */
  username: string;
  token: Buffer;
}

/** The families of these roles. Throws 404 where the connection has neither these nor sessions. */
export const familiesOf = (ctx: ReadContext, roles: readonly FamilyRole[]): Family[] => {
  const families = roles.flatMap((role) => [...ctx.catalog.withRole(role)]);
  if (families.length === 0 && !ctx.catalog.role('session'))
    throw notFound(`A session on connection "${ctx.connection.config.id}"`);
  return families;
};

/** The glob of all session keys, including damaged ones, or of those that may belong to one user. */
export const sessionMatch = (ctx: ReadContext, userId?: string): string => {
  const { family, head, between, shape, userParam } = storageOf(ctx);
  if (shape === 'other') {
    const user = userParam === null ? undefined : family.params[userParam];
    if (userId !== undefined && user && fitsGrammar(user, Buffer.from(userId)))
      return family.match({ [userParam!]: userId });
    return head.length > 0 ? `${escapeGlob(head.toString())}*` : family.match();
  }
  const begin = userId === undefined || shape === 'token' ? head.toString() : `${head}${userId}${between}`;
  return `${escapeGlob(begin)}*`;
};

/** The key of a token in an index; the token need not match the grammar. Null where no key can contain it. */
const sessionKeyOf = (
  { storage }: { storage: SessionStorage },
  userId: string,
  token: Buffer,
): Key | null => {
  const { shape, head, between, family, userParam, tokenParam } = storage;
  if (shape === 'user-token') return Buffer.concat([head, Buffer.from(userId), between, token]);
  if (shape === 'token') return Buffer.concat([head, token]);
  const text = textOf(token);
  if (text === null) return null;
  try {
    return family.key({ [tokenParam]: text, ...(userParam === null ? {} : { [userParam]: userId }) });
  } catch {
    return null;
  }
};

/** The prefix of a user's session keys, where the token follows it immediately. */
export const beginOf = (ctx: ReadContext, userId: string): Buffer =>
  sessionKeyOf({ storage: storageOf(ctx) }, userId, Buffer.alloc(0))!;

/** The index of a user; the id need not match the grammar, nor be text. Null without indexes. */
export const indexKeyOf = (ctx: Keyspace, userId: string | Buffer): Key | null => {
  const { index } = storageOf(ctx);
  if (!index) return null;
  const [head, tail] = index.family.compiled.literals;
  return Buffer.concat([head!, Buffer.from(userId as string), tail!]);
};

/** The glob of all users' indexes; null without indexes. */
export const indexMatch = (ctx: ReadContext): string | null => storageOf(ctx).index?.family.match() ?? null;

/** The user of an index's key; null for another key. */
export const indexUserOf = (ctx: Keyspace, key: Key): string | null => {
  const { index } = storageOf(ctx);
  if (!index) return null;
  const [head, tail] = index.family.compiled.literals as [Uint8Array, Uint8Array];
  const end = key.length - tail.length;
  if (end <= head.length || !key.subarray(0, head.length).equals(head)) return null;
  if (!key.subarray(end).equals(tail)) return null;
  const { family } = ctx.catalog.classify(key);
  if (family !== null && family !== index.family) return null;
  return userInKey(index.family, index.family.paramNames[0]!, key.subarray(head.length, end));
};

/** Longer bytes cannot be a user id and are not decoded. */
const MAX_USER_ID_BYTES = 256;

export const userIdOf = (bytes: Buffer): string | null => {
  if (bytes.length > MAX_USER_ID_BYTES) return null;
  const plain = bytes.toString('latin1');
  if (NUMERIC_ID.test(plain)) return plain;
  const text = textOf(bytes);
  return text !== null && isUserId(text) ? text : null;
};

/** The user in a key. Where a family's ids are no UUIDs, a UUID is more likely a token in the wrong place. */
const userInKey = (family: Family, param: string | null, bytes: Buffer): string | null => {
  const userId = userIdOf(bytes);
  if (userId === null || !GENERATED_ID.test(userId)) return userId;
  const grammar = family.params[param ?? ''];
  return grammar && fitsGrammar(grammar, bytes) ? userId : null;
};

/** The parts of a key of any shape; the user is null where the key does not contain it, or is damaged. */
const splitKey = (
  { shape, head, between, userParam, tokenParam }: SessionStorage,
  key: Key,
  params: Readonly<Record<string, string>> | null,
): { user: Buffer | null; token: Buffer } => {
  if (shape === 'other') {
    if (!params) return { user: null, token: key.subarray(head.length) };
    const user = userParam === null ? null : Buffer.from(params[userParam]!);
    return { user, token: Buffer.from(params[tokenParam]!) };
  }
  if (shape === 'token') return { user: null, token: key.subarray(head.length) };
  const end = key.indexOf(between, head.length);
  if (end < 0) return { user: null, token: key.subarray(head.length) };
  return { user: key.subarray(head.length, end), token: key.subarray(end + between.length) };
};

/**
 * Parses a session key; null for a key of another family, such as a marker of an invalidated session. Everything this
 * accepts counts as a session wherever sessions are listed or counted, including ghosts and malformed ones. Legacy
 * keys and stale index entries are counted separately. Where only the value contains the user, `withOwners` adds it.
 */
export const parseSessionKey = (ctx: Keyspace, key: Key): SessionKey | null => {
  const storage = storageOf(ctx);
  const { head, family, userParam, index } = storage;
  if (!key.subarray(0, head.length).equals(head)) return null;
  const classified = ctx.catalog.classify(key);
  if (classified.family !== family) {
    if (classified.family !== null || head.length === 0) return null;
    // A damaged key of a family with a longer prefix, such as an index below the prefix of sessions.
    if ((classified.malformedOf?.compiled.literals[0]?.length ?? 0) > head.length) return null;
  }
  const { user, token } = splitKey(storage, key, classified.family ? classified.params : null);
  const userId = user && userInKey(family, userParam, user);
  return {
    storage,
    key,
    userId,
    token,
    index: user && indexKeyOf(ctx, user),
    member: index?.member === 'key' ? key : token,
    wellFormed: classified.family !== null && (userParam === null || userId !== null),
  };
};

/**
 * The session of an entry in a user's index; it may not exist. Null for an entry with a key of another family: it is
 * not a session, and is never touched.
 */
export const entryOf = (ctx: Keyspace, userId: string, member: Buffer): SessionKey | null => {
  const storage = storageOf(ctx);
  const isKey = storage.index?.member === 'key';
  const key = isKey ? member : sessionKeyOf({ storage }, userId, member);
  const named = key && parseSessionKey(ctx, key);
  if (!named) return null;
  return {
    ...named,
    userId,
    member,
    index: indexKeyOf(ctx, userId),
    ...(isKey ? {} : { token: member }),
  };
};

/** Parses a legacy session key; null for another key. Too many digits for a user id are the date of a backup. */
export const parseLegacyKey = (ctx: ReadContext, key: Key): LegacyKey | null => {
  const { legacy } = storageOf(ctx);
  if (!legacy) return null;
  const { family, ...found } = ctx.catalog.classify(key);
  if (family !== legacy || !('params' in found)) return null;
  const userId = partIn(legacy, found.params, 'userId');
  if (userId === null || !isUserId(userId)) return null;
  const username = partIn(legacy, displayParams(family, found.params, ctx.catalog), 'username') ?? '';
  return { key, userId, username, token: Buffer.from(partIn(legacy, found.params, 'token') ?? '') };
};

/** The glob of all legacy keys; null where the connection has none. */
export const legacyMatch = (ctx: ReadContext): string | null => storageOf(ctx).legacy?.match() ?? null;

/** The legacy key of the same user, name and token; null where there cannot be one. */
export const legacyKeyOf = (
  ctx: ReadContext,
  userId: string,
  username: string | null,
  token: Buffer,
): Key | null => {
  const { legacy } = storageOf(ctx);
  if (!legacy) return null;
  const named = { userId, username, token: token.toString('latin1') };
  const params = Object.entries(named).map(([name, value]) => [paramOf(legacy, name), value]);
  try {
    return legacy.key(Object.fromEntries(params.filter(([name]) => name !== null)));
  } catch {
    return null;
  }
};

/** The session of a legacy key: the one with the same token, if possible, otherwise the legacy key alone. */
export const sessionOfLegacy = (ctx: ReadContext, { key, userId, token }: LegacyKey): SessionKey => {
  const storage = storageOf(ctx);
  const named = storage.index?.member === 'key' ? sessionKeyOf({ storage }, userId, token) : token;
  const session = named && entryOf(ctx, userId, named);
  return session ?? { storage, key, userId, token, index: null, member: token, wellFormed: false };
};

/** The user's id and a digest of the token: identifies a session outside the server. */
export const handleOf = (userId: string, token: Buffer): string => `${userId}.${tokenDigest(token)}`;

/** The part of a handle that does not depend on the user. */
export const tokenDigest = (token: Buffer): string => digest('handle', token, 22);

/** Distinguishes two sessions. Not a part of the handle, and unrelated to the token's content. */
export const fingerprintOf = (key: Key): string =>
  digest('handle', Buffer.concat([Buffer.from('fingerprint\0'), key]), 8);

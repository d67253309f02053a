import 'server-only';
import { displayParams, escapeGlob } from '@/lib/catalog/display';
import type { Family } from '@/lib/catalog/family';
import type { ReadContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import type { Key } from '@/lib/redis/commands';
import { textOf } from '@/lib/values/string-value';
import { isUserId, NUMERIC_ID } from './schema';

/** A key with the prefix of sessions. The token stays in memory: it leaves this folder as a digest only. */
export interface SessionKey {
  key: Key;
  /** Null where the key is too damaged to name its user. */
  userId: string | null;
  /** The index that should contain the token; null where the key names no user. */
  index: Key | null;
  token: Buffer;
  /** Whether the key matches the family's grammar. */
  wellFormed: boolean;
}

export interface LegacyKey {
  key: Key;
  userId: string;
  /** For display: masked where it could contain a part of the token. */
  username: string;
  token: Buffer;
}

/** A family of this domain. Throws 404 where the connection's apps do not have it. */
export const familyOf = (ctx: ReadContext, id: string): Family => {
  const family = ctx.catalog.get(id);
  if (!family) throw notFound(`A session on connection "${ctx.connection.config.id}"`);
  return family;
};

const sessionFamily = (ctx: ReadContext): Family => familyOf(ctx, 'discours.session');

/** The literal parts of `session:{user_id}:{token}`, so that damaged keys can be read and named as well. */
const literals = (ctx: ReadContext): [Buffer, Buffer] => {
  const [head, between] = sessionFamily(ctx).compiled.literals;
  return [Buffer.from(head!), Buffer.from(between!)];
};

/** The glob of all session keys, including damaged ones, or of one user's. */
export const sessionMatch = (ctx: ReadContext, userId?: string): string => {
  const [head, between] = literals(ctx);
  const begin = userId === undefined ? head.toString() : `${head}${userId}${between}`;
  return `${escapeGlob(begin)}*`;
};

/** The key of a token in an index; the token need not match the grammar. */
export const sessionKeyOf = (ctx: ReadContext, userId: string, token: Buffer): Key => {
  const [head, between] = literals(ctx);
  return Buffer.concat([head, Buffer.from(userId), between, token]);
};

const indexHead = (ctx: ReadContext): Uint8Array =>
  familyOf(ctx, 'discours.user-sessions').compiled.literals[0]!;

/** The id need not match the grammar, nor be text. */
export const indexKeyOf = (ctx: ReadContext, userId: string | Buffer): Key =>
  Buffer.concat([indexHead(ctx), Buffer.from(userId as string)]);

/** The glob of every user's index. */
export const indexMatch = (ctx: ReadContext): string => familyOf(ctx, 'discours.user-sessions').match();

/** The user of an index's key; null for another key. */
export const indexUserOf = (ctx: ReadContext, key: Key): string | null => {
  const head = indexHead(ctx);
  return key.subarray(0, head.length).equals(head) ? userIdOf(key.subarray(head.length)) : null;
};

/** Longer bytes cannot be a user id and are not decoded. */
const MAX_USER_ID_BYTES = 256;

const userIdOf = (bytes: Buffer): string | null => {
  if (bytes.length > MAX_USER_ID_BYTES) return null;
  const plain = bytes.toString('latin1');
  if (NUMERIC_ID.test(plain)) return plain;
  const text = textOf(bytes);
  return text !== null && isUserId(text) ? text : null;
};

/**
 * Parses a session key; null for a key of another family, such as a marker of an invalidated session. Whatever this
 * accepts counts as a session wherever sessions are listed or counted, including ghosts and malformed ones. Legacy keys
 * and stale index entries are counted separately.
 */
export const parseSessionKey = (ctx: ReadContext, key: Key): SessionKey | null => {
  const [head, between] = literals(ctx);
  if (!key.subarray(0, head.length).equals(head)) return null;
  const { family } = ctx.catalog.classify(key);
  if (family !== null && family.id !== 'discours.session') return null;
  const from = head.length;
  const end = key.indexOf(between, from);
  if (end < 0) return { key, userId: null, index: null, token: key.subarray(from), wellFormed: false };
  const user = key.subarray(from, end);
  const userId = userIdOf(user);
  const token = key.subarray(end + between.length);
  return {
    ...{ key, userId, token, index: indexKeyOf(ctx, user) },
    wellFormed: family !== null && userId !== null,
  };
};

/** Parses a legacy session key; null for another key. Digits too long for a user id are the date of a backup. */
export const parseLegacyKey = (ctx: ReadContext, key: Key): LegacyKey | null => {
  const { family, ...found } = ctx.catalog.classify(key);
  if (family?.id !== 'discours.legacy-session' || !('params' in found)) return null;
  const { user_id: userId, token } = found.params;
  if (!NUMERIC_ID.test(userId!)) return null;
  const shown = displayParams(family, found.params, ctx.catalog);
  return { key, userId: userId!, username: shown.username!, token: Buffer.from(token!) };
};

/** The legacy key of the same user, name and token; null where there cannot be one. */
export const legacyKeyOf = (
  ctx: ReadContext,
  userId: string,
  username: string,
  token: Buffer,
): Key | null => {
  const params = { user_id: userId, username, token: token.toString('latin1') };
  try {
    return familyOf(ctx, 'discours.legacy-session').key(params);
  } catch {
    return null;
  }
};

/** The user's id and a digest of the token: identifies a session outside the server. */
export const handleOf = (userId: string, token: Buffer): string => `${userId}.${digest('handle', token, 22)}`;

/** Distinguishes two sessions. Not a part of the handle, and unrelated to the token's content. */
export const fingerprintOf = (key: Key): string =>
  digest('handle', Buffer.concat([Buffer.from('fingerprint\0'), key]), 8);

import 'server-only';
import { displayParams, escapeGlob } from '@/lib/catalog/display';
import type { Family } from '@/lib/catalog/family';
import type { ReadContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import type { Key } from '@/lib/redis/commands';
import { USER_ID } from './schema';

/** A key that begins as sessions do. The token stays in memory: it leaves this folder as a digest only. */
export interface SessionKey {
  key: Key;
  /** null where the key is too damaged to name its user. */
  userId: string | null;
  token: Buffer;
  /** Whether the key fits the family's grammar. */
  wellFormed: boolean;
}

export interface LegacyKey {
  key: Key;
  userId: string;
  /** For reading: masked where it could hold a part of the token. */
  username: string;
  token: Buffer;
}

/** A family of this domain. 404 where the connection's apps have none. */
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

/** Everything that begins as sessions do, damaged keys too; or one user's. */
export const sessionMatch = (ctx: ReadContext, userId?: string): string => {
  const [head, between] = literals(ctx);
  const begin = userId === undefined ? head.toString() : `${head}${userId}${between}`;
  return `${escapeGlob(begin)}*`;
};

/** The key of a token as the index holds it; the token need not fit the grammar. */
export const sessionKeyOf = (ctx: ReadContext, userId: string, token: Buffer): Key => {
  const [head, between] = literals(ctx);
  return Buffer.concat([head, Buffer.from(userId), between, token]);
};

export const indexKeyOf = (ctx: ReadContext, userId: string): Key =>
  familyOf(ctx, 'discours.user-sessions').key({ user_id: userId });

/** Every user's index. */
export const indexMatch = (ctx: ReadContext): string => familyOf(ctx, 'discours.user-sessions').match();

/** The user of an index's key; null where the key is none. */
export const indexUserOf = (ctx: ReadContext, key: Key): string | null => {
  const userId = familyOf(ctx, 'discours.user-sessions').parse(key)?.user_id;
  return userId !== undefined && USER_ID.test(userId) ? userId : null;
};

const MAX_USER_ID_LENGTH = 19;

/** Reads a key; null when it is no session's (another family's, such as a marker that a session was invalidated). */
export const parseSessionKey = (ctx: ReadContext, key: Key): SessionKey | null => {
  const [head, between] = literals(ctx);
  if (!key.subarray(0, head.length).equals(head)) return null;
  const { family } = ctx.catalog.classify(key);
  if (family !== null && family.id !== 'discours.session') return null;
  const from = head.length;
  const end = key.subarray(from, from + MAX_USER_ID_LENGTH + between.length).indexOf(between);
  const userId = end < 0 ? '' : key.toString('latin1', from, from + end);
  if (!USER_ID.test(userId)) return { key, userId: null, token: key.subarray(from), wellFormed: false };
  const token = key.subarray(from + end + between.length);
  return { key, userId, token, wellFormed: family !== null };
};

/** Reads a legacy session's key; null when it is none: a run of digits that is too long for a user id is a backup's date. */
export const parseLegacyKey = (ctx: ReadContext, key: Key): LegacyKey | null => {
  const { family, ...found } = ctx.catalog.classify(key);
  if (family?.id !== 'discours.legacy-session' || !('params' in found)) return null;
  const { user_id: userId, token } = found.params;
  if (!USER_ID.test(userId!)) return null;
  const shown = displayParams(family, found.params, ctx.catalog);
  return { key, userId: userId!, username: shown.username!, token: Buffer.from(token!) };
};

/** The legacy key of the same user, name and token; null where no such key can be. */
export const legacyTwinOf = (
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

/** The user's id and a digest of the token: what stands for a session outside the server. */
export const handleOf = (userId: string, token: Buffer): string => `${userId}.${digest('handle', token, 22)}`;

/** The user that a handle, or the id of an OAuth token, names; null for an id that names none. */
export const userOfHandle = (handle: string): string | null =>
  handle.includes('.') ? handle.slice(0, handle.indexOf('.')) : null;

/** Tells two sessions apart. Not a part of the handle, and unrelated to what the token holds. */
export const fingerprintOf = (key: Key): string =>
  digest('handle', Buffer.concat([Buffer.from('fingerprint\0'), key]), 8);

import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { ahead } from '@/lib/redis/ahead';
import type { Key } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { scanKeys, scanPatterns } from '@/lib/redis/scan';
import { countWithRestart } from '@/lib/redis/server-process';
import {
  familyOf,
  type LegacyKey,
  parseLegacyKey,
  parseSessionKey,
  type SessionKey,
  sessionMatch,
} from './keys';
import { SMALL_KEYSPACE } from './keyspace';
import { NUMERIC_ID } from './schema';
import { parseVerificationKey, type VerificationKey } from './tokens/keys';
import { readJsonFields } from './tokens/values';

/** The keys of some users in one chunk of a scan. */
export interface UsersChunk {
  sessions: SessionKey[];
  legacy: LegacyKey[];
  verifications: VerificationKey[];
}

/** A glob class of these bytes. Each is escaped, because `-`, `]` and `\\` are special in a class. */
const placeOf = (bytes: readonly number[]): string =>
  `[${[...new Set(bytes)].map((byte) => `\\${String.fromCharCode(byte)}`).join('')}]`;

/** One glob for several prefixes. It also matches mixtures of them. */
const startsWith = (heads: readonly string[]): string => {
  const bytes = heads.map((head) => Buffer.from(head));
  const length = Math.min(...bytes.map((head) => head.length));
  return `${Array.from({ length }, (_, at) => placeOf(bytes.map((head) => head[at]!))).join('')}*`;
};

/**
 * The globs of one user's keys: `session:{id}:…`, and in one glob `verification:{id}:…`, `verification_token:…` (whose
 * values name the user) and `{id}-…`. Globs without a leading `*` fail at the first characters of nearly every key; one
 * that covered sessions too would have to search all tokens.
 */
const patternsOf = (ctx: ReadContext, userId: string): string[] => {
  const literal = (id: string, place: number): string =>
    Buffer.from(familyOf(ctx, id).compiled.literals[place]!).toString();
  const verification = literal('discours.verification', 0) + userId + literal('discours.verification', 1);
  const legacy = literal('discours.legacy-session', 0) + userId + literal('discours.legacy-session', 1);
  const token = literal('discours.verification-token', 0);
  // Keys of the other two families contain only numeric ids.
  const heads = NUMERIC_ID.test(userId) ? [verification, token, legacy] : [token];
  return [sessionMatch(ctx, userId), startsWith(heads)];
};

/** A call that only matches names takes the server a quarter of the time of one that reads values. */
const CHUNKS_PER_CALL = 4;

/** `verification_token:{token}` names its user only in its JSON value. */
const ofUsers = async (
  ctx: ReadContext,
  keys: readonly VerificationKey[],
  users: ReadonlySet<string>,
): Promise<VerificationKey[]> => {
  const unnamed = keys.filter(({ userId }) => userId === null);
  const values = await readJsonFields(
    ctx,
    unnamed.map(({ key }) => key),
    ['user_id'],
  );
  const named = unnamed.map((key, i) => ({ ...key, userId: values[i]?.fields[0] ?? null }));
  return [...keys.filter(({ userId }) => userId !== null), ...named].filter(
    ({ userId }) => userId !== null && users.has(userId),
  );
};

const sort = async (
  ctx: ReadContext,
  users: ReadonlySet<string>,
  keys: readonly Key[],
): Promise<UsersChunk> => {
  const chunk: UsersChunk = { sessions: [], legacy: [], verifications: [] };
  const verifications: VerificationKey[] = [];
  for (const key of keys) {
    const session = parseSessionKey(ctx, key);
    if (session) {
      if (session.userId !== null && users.has(session.userId)) chunk.sessions.push(session);
      continue;
    }
    const legacy = parseLegacyKey(ctx, key);
    if (legacy) {
      if (users.has(legacy.userId)) chunk.legacy.push(legacy);
      continue;
    }
    const verification = parseVerificationKey(ctx, key);
    if (verification) verifications.push(verification);
  }
  if (verifications.length > 0) chunk.verifications = await ofUsers(ctx, verifications, users);
  return chunk;
};

/** All keys where they are few or the users many; else those that can be the one user's. */
const keysOfUsers = async (
  ctx: ReadContext,
  users: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<AsyncGenerator<{ keys: Key[] }>> => {
  const [only] = users;
  if (only === undefined || users.size > 1 || (await ctx.reader.size()) < SMALL_KEYSPACE)
    return scanKeys(ctx.connection, { signal });
  return ahead(scanPatterns(ctx.connection, patternsOf(ctx, only), { signal, times: CHUNKS_PER_CALL }));
};

/** All existing keys of these users, indexed or not, a chunk at a time, including empty chunks. */
export async function* scanUsers(
  ctx: ReadContext,
  users: ReadonlySet<string>,
  signal?: AbortSignal,
): AsyncGenerator<UsersChunk> {
  for await (const { keys } of await keysOfUsers(ctx, users, signal)) yield await sort(ctx, users, keys);
}

/** The same in one result, each key once: for few users. */
export const readUsers = (ctx: ReadContext, users: ReadonlySet<string>): Promise<UsersChunk> =>
  countWithRestart(ctx.connection, () => readOnce(ctx, users));

const readOnce = async (ctx: ReadContext, users: ReadonlySet<string>): Promise<UsersChunk> => {
  const found: UsersChunk = { sessions: [], legacy: [], verifications: [] };
  const isNew = distinct();
  for await (const { sessions, legacy, verifications } of scanUsers(ctx, users)) {
    found.sessions.push(...sessions.filter(({ key }) => isNew(key)));
    found.legacy.push(...legacy.filter(({ key }) => isNew(key)));
    found.verifications.push(...verifications.filter(({ key }) => isNew(key)));
  }
  return found;
};

import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Family } from '@/lib/keyspace/family';
import { fitsGrammar } from '@/lib/keyspace/pattern';
import { ahead } from '@/lib/redis/ahead';
import type { Key } from '@/lib/redis/commands';
import { distinct } from '@/lib/redis/distinct';
import { scanKeys, scanPatterns } from '@/lib/redis/scan';
import { countWithRestart } from '@/lib/redis/server-process';
import { paramOf } from '@/lib/role-keys/part-in-key';
import { parseVerificationKey, type VerificationKey } from '@/lib/tokens/keys';
import { readOwnersOf } from '@/lib/tokens/parts';
import { type LegacyKey, parseLegacyKey, parseSessionKey, type SessionKey, sessionMatch } from './keys';
import { SMALL_KEYSPACE } from './keyspace';
import { withOwners } from './owners';
import { storageOf } from './storage';

/** The keys of several users in one chunk of a scan. */
export interface UsersChunk {
  sessions: SessionKey[];
  legacy: LegacyKey[];
  verifications: VerificationKey[];
  /** Sessions that may belong to these users, but have unreadable values. */
  unread: number;
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

/** The prefix of one user's keys in a family; null where no key can belong to this user. */
const headOf = (family: Family, userId: string): string | null => {
  const user = paramOf(family, 'userId');
  const [head, after] = family.compiled.literals.map((literal) => Buffer.from(literal).toString());
  if (user !== null && !fitsGrammar(family.params[user]!, Buffer.from(userId))) return null;
  return user !== null && user === family.paramNames[0] ? `${head}${userId}${after}` : head!;
};

/**
 * The globs of one user's keys: `session:{id}:…`, and in one glob `verification:{id}:…`, `verification_token:…` (whose
 * values contain the user) and `{id}-…`. Globs without a leading `*` fail at the first characters of nearly every key;
 * one that also covered sessions would have to search all tokens.
 */
const patternsOf = (ctx: ReadContext, userId: string): string[] => {
  const { family, legacy } = storageOf(ctx);
  const tokens = ctx.catalog.withRole('verification-token').filter(({ app }) => app === family.app);
  const others = legacy ? [...tokens, legacy] : tokens;
  const heads = others.map((family) => headOf(family, userId)).filter((head) => head !== null);
  return [sessionMatch(ctx, userId), ...(heads.length > 0 ? [startsWith(heads)] : [])];
};

/** A call that only matches names takes a quarter of the server's time of one that reads values. */
const CHUNKS_PER_CALL = 4;

/** Some verification tokens contain their user only in the value. */
const ofUsers = async (
  ctx: ReadContext,
  keys: readonly VerificationKey[],
  users: ReadonlySet<string>,
): Promise<VerificationKey[]> => {
  const unnamed = keys.filter(({ userId }) => userId === null);
  const owners = await readOwnersOf(ctx, unnamed);
  const named = unnamed.map((key, i) => ({ ...key, userId: owners[i] ?? null }));
  return [...keys.filter(({ userId }) => userId !== null), ...named].filter(
    ({ userId }) => userId !== null && users.has(userId),
  );
};

const sort = async (
  ctx: ReadContext,
  users: ReadonlySet<string>,
  keys: readonly Key[],
): Promise<UsersChunk> => {
  const chunk: UsersChunk = { sessions: [], legacy: [], verifications: [], unread: 0 };
  const { app } = storageOf(ctx).family;
  const verifications: VerificationKey[] = [];
  const sessions: SessionKey[] = [];
  for (const key of keys) {
    const session = parseSessionKey(ctx, key);
    if (session) {
      sessions.push(session);
      continue;
    }
    const legacy = parseLegacyKey(ctx, key);
    if (legacy) {
      if (users.has(legacy.userId)) chunk.legacy.push(legacy);
      continue;
    }
    const verification = parseVerificationKey(ctx, key);
    // The same id in another application is another user.
    if (verification && verification.family.app === app) verifications.push(verification);
  }
  for (const session of await withOwners(ctx, sessions)) {
    if (session?.value?.unread) chunk.unread += 1;
    if (session && session.userId !== null && users.has(session.userId)) chunk.sessions.push(session);
  }
  if (verifications.length > 0) chunk.verifications = await ofUsers(ctx, verifications, users);
  return chunk;
};

/** All keys where the keyspace is small or the users are many; otherwise the keys that may belong to the single user. */
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

/** All existing keys of these users, indexed or not, in chunks, including empty ones. */
export async function* scanUsers(
  ctx: ReadContext,
  users: ReadonlySet<string>,
  signal?: AbortSignal,
): AsyncGenerator<UsersChunk> {
  for await (const { keys } of await keysOfUsers(ctx, users, signal)) yield await sort(ctx, users, keys);
}

/** All keys at once, each once: for few users. */
export const readUsers = (ctx: ReadContext, users: ReadonlySet<string>): Promise<UsersChunk> =>
  countWithRestart(ctx.connection, () => readOnce(ctx, users));

const readOnce = async (ctx: ReadContext, users: ReadonlySet<string>): Promise<UsersChunk> => {
  const chunk: UsersChunk = { sessions: [], legacy: [], verifications: [], unread: 0 };
  const isNew = distinct();
  for await (const { sessions, legacy, verifications, unread } of scanUsers(ctx, users)) {
    chunk.unread += unread;
    chunk.sessions.push(...sessions.filter(({ key }) => isNew(key)));
    chunk.legacy.push(...legacy.filter(({ key }) => isNew(key)));
    chunk.verifications.push(...verifications.filter(({ key }) => isNew(key)));
  }
  return chunk;
};

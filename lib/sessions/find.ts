import 'server-only';
import { keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { scanKeys } from '@/lib/redis/scan';
import { indexPages } from './index-entries';
import { familyOf, type LegacyKey, parseLegacyKey, parseSessionKey, type SessionKey } from './keys';
import { parseVerificationKey, type VerificationKey } from './tokens/keys';
import { readJsonFields } from './tokens/values';

/** Everything that lets these users in, as far as it was looked for. */
export interface Found {
  /** Tokens of the index. The sessions they name may be gone. */
  entries: SessionKey[];
  /** The index was read to its end. */
  entriesComplete: boolean;
  /** By a scan: what exists, whether the index knows it or not. */
  sessions: SessionKey[];
  legacy: LegacyKey[];
  verifications: VerificationKey[];
  scanned: boolean;
}

/** Below this many keys a scan costs so little that every answer is complete (api.md, `sessions.user`). */
export const SMALL_KEYSPACE = 50_000;

/** What one chunk of a scan has of some users. */
export type UsersChunk = Pick<Found, 'sessions' | 'legacy' | 'verifications'>;

const WORD = 'verification_token';

/**
 * What to look through: all keys where they are few or the users many; else what can be one of the user's, in one
 * pass: `session:{id}:…`, `verification:{id}:…`, `{id}-…`, and `verification_token:…`, whose values name the user. Each
 * place of the pattern takes a digit of the id or a letter of that word.
 */
const patternsOf = (ctx: ReadContext, users: ReadonlySet<string>, size: number): (string | undefined)[] => {
  const [only] = users;
  if (only === undefined || size < SMALL_KEYSPACE || users.size !== 1) return [undefined];
  const tokens = familyOf(ctx, 'discours.verification-token');
  const known = Buffer.from(tokens.compiled.literals[0]!).toString() === `${WORD}:`;
  // One letter would be the end of "session" too, which is every session.
  if (!known || only.length < 2 || only.length > WORD.length) return [`*${only}[-:]*`, tokens.match()];
  const letters = WORD.slice(-only.length);
  const places = [...only].map((digit, i) => `[${digit}${letters[i]}]`);
  return [`*${places.join('')}[-:]*`];
};

/** A call that only compares names takes the server a quarter of the time that one that reads values takes. */
const CHUNKS_A_CALL = 4;

/** `verification_token:{token}` names its user in its JSON value only. */
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

/** Everything of these users that exists, whether an index knows it or not, a chunk at a time. */
export async function* scanUsers(
  ctx: ReadContext,
  users: ReadonlySet<string>,
  signal?: AbortSignal,
): AsyncGenerator<UsersChunk> {
  const patterns = patternsOf(ctx, users, await ctx.reader.size());
  for (const match of patterns) {
    const options = { match, signal, times: match === undefined ? 1 : CHUNKS_A_CALL };
    for await (const { keys } of scanKeys(ctx.connection, options))
      if (keys.length > 0) yield await sort(ctx, users, keys);
  }
}

const scanAll = async (ctx: ReadContext, users: ReadonlySet<string>): Promise<UsersChunk> => {
  const sessions = new Map<string, SessionKey>();
  const legacy = new Map<string, LegacyKey>();
  const verifications = new Map<string, VerificationKey>();
  for await (const chunk of scanUsers(ctx, users)) {
    for (const one of chunk.sessions) sessions.set(keyId(one.key), one);
    for (const one of chunk.legacy) legacy.set(keyId(one.key), one);
    for (const one of chunk.verifications) verifications.set(keyId(one.key), one);
  }
  return {
    sessions: [...sessions.values()],
    legacy: [...legacy.values()],
    verifications: [...verifications.values()],
  };
};

/** The index of one user up to `most` entries. */
const readIndex = async (ctx: ReadContext, userId: string, most: number) => {
  const entries = new Map<string, SessionKey>();
  for await (const page of indexPages(ctx, userId)) {
    for (const entry of page) entries.set(keyId(entry.key), entry);
    if (entries.size > most) return { entries: [...entries.values()].slice(0, most), complete: false };
  }
  return { entries: [...entries.values()], complete: true };
};

/**
 * What lets these users in: from their indexes at once, and by a scan where `complete` is asked for or the keyspace
 * is small. `most`: index entries read of each user.
 */
export const findAll = async (
  ctx: ReadContext,
  users: ReadonlySet<string>,
  { complete, most }: { complete: boolean; most: number },
): Promise<Found> => {
  const scanned = complete || (await ctx.reader.size()) < SMALL_KEYSPACE;
  const found: UsersChunk = scanned
    ? await scanAll(ctx, users)
    : { sessions: [], legacy: [], verifications: [] };
  const entries: SessionKey[] = [];
  let entriesComplete = true;
  for (const userId of users) {
    const index = await readIndex(ctx, userId, most);
    for (const entry of index.entries) entries.push(entry);
    entriesComplete &&= index.complete;
  }
  return { ...found, entries, entriesComplete, scanned };
};

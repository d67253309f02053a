import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { displayKey, keyId } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';
import { paramOf } from '@/lib/role-keys/part-in-key';
import { byTime } from '@/lib/time';
import type { VerificationKey } from '@/lib/tokens/keys';
import { readOauth, readVerifications } from '@/lib/tokens/kinds';
import { readOauthKeysOf } from '@/lib/tokens/of-users';
import { readSessions } from '../facts';
import { readIndexSize } from '../index-entries';
import { fingerprintOf, handleOf, type LegacyKey } from '../keys';
import { readExisting, SMALL_KEYSPACE } from '../keyspace';
import type { Session, SessionOrder } from '../schema';
import { storageOf } from '../storage';
import { readUserAudit } from './audit';
import type { sessionUserContracts } from './schema';
import { cursorAfter, findUnindexed, readFurther, readIndexed, type Unindexed } from './sessions';

type User = Result<typeof sessionUserContracts.user>;

const isThere = <T>(token: T | null): token is T => token !== null;

const readTokens = async (
  ctx: ReadContext,
  userId: string,
  scanned: boolean,
  keys: readonly VerificationKey[],
) => {
  const [oauth, verifications] = await Promise.all([
    readOauth(ctx, (await readOauthKeysOf(ctx, new Set([userId]), scanned)).keys),
    readVerifications(ctx, keys),
  ]);
  return { oauth: oauth.filter(isThere), verifications: verifications.filter(isThere) };
};

const readLegacy = async (ctx: ReadContext, keys: readonly LegacyKey[]): Promise<User['legacy']> =>
  (await readExisting(ctx, keys)).map(({ key, userId, token, username, ttlSeconds }) => ({
    handle: handleOf(userId, token),
    fingerprint: fingerprintOf(key),
    username,
    ttlSeconds,
  }));

/** The key of a family whose every parameter is the user; null for other families. */
const keyOfUser = (family: Family, userId: string): Key | null => {
  try {
    return family.key(Object.fromEntries(family.paramNames.map((name) => [name, userId])));
  } catch {
    return null;
  }
};

/** Families that a family declares as related by this parameter alone, its user. */
const relatedBy = (ctx: ReadContext, { related = [] }: Family, user: string): Family[] =>
  related
    .filter(({ params }) => Object.values(params).every((name) => name === user))
    .map(({ family }) => ctx.catalog.get(family))
    .filter((family) => family !== undefined && family.paramNames.length > 0) as Family[];

/**
 * Cache entries about this user: the families that the catalog relates to sessions by their user, and those related to
 * these, each with whether it exists.
 */
const readRelated = async (ctx: ReadContext, userId: string): Promise<User['related']> => {
  const sources = [ctx.catalog.role('session'), ctx.catalog.role('session-index')].flatMap((family) => {
    const user = family && paramOf(family, 'userId');
    return family && user ? relatedBy(ctx, family, user) : [];
  });
  const lists = sources.flatMap((family) =>
    family.paramNames.flatMap((name) => relatedBy(ctx, family, name)),
  );
  const families = [...new Set([...sources, ...lists])].filter(({ cache }) => cache);
  const named = families.flatMap((family) => {
    const key = keyOfUser(family, userId);
    return key ? [{ family, key }] : [];
  });
  const unreadable: { key: Key }[] = [];
  const there = new Set((await readExisting(ctx, named, unreadable)).map(({ family }) => family));
  const readable = named.filter(({ key }) => !unreadable.some((other) => other.key === key));
  return readable.map(({ family, key }) => ({
    family: family.id,
    title: family.title,
    key: displayKey(key, ctx.catalog),
    keyId: keyId(key),
    exists: there.has(family),
  }));
};

const NOTHING: Unindexed = { sessions: [], count: 0, legacy: [], verifications: [], unread: 0 };

/** Sessions that are not yet on the page of the index: while it changes, index and scan may return the same session. */
const notOnPage = (page: readonly Session[], sessions: readonly (Session | null)[]): Session[] => {
  const there = new Set(page.map(({ fingerprint }) => fingerprint));
  return sessions.filter((one): one is Session => one !== null && !there.has(one.fingerprint));
};

const TIMES: Record<SessionOrder['sort'], (session: Session) => string | null> = {
  lastActivity: (session) => session.lastActivity ?? session.createdAt,
  created: (session) => session.createdAt,
  expiry: (session) => session.expiresAt,
};

/** Sorted by a time; sessions without it are last in both directions. */
const inOrder = (sessions: readonly Session[], { sort, order }: SessionOrder): Session[] => {
  const time = TIMES[sort];
  return [...sessions].sort(byTime(time, order));
};

const nameOf = (sessions: readonly Session[], legacy: User['legacy']): string | null => {
  const latest = inOrder(sessions, { sort: 'lastActivity', order: 'desc' });
  return [...latest, ...legacy].map(({ username }) => username).find((name) => name !== null) ?? null;
};

const isScanned = async (ctx: ReadContext, complete: boolean): Promise<boolean> =>
  complete || (await ctx.reader.size()) < SMALL_KEYSPACE;

type UserInput = Input<typeof sessionUserContracts.user>;

/**
 * A user with the first page of sessions: by the index and exact keys. What the index lacks (unindexed and legacy
 * sessions, verification tokens) is included with `complete`, and always in a small keyspace. Unindexed sessions are
 * on this page if there are at most `limit`, otherwise on separate pages after those of the index.
 */
const readFirst = async (
  ctx: ReadContext,
  { userId, complete, limit, ...order }: UserInput,
): Promise<User> => {
  const scanned = await isScanned(ctx, complete);
  const unknown = scanned ? await findUnindexed(ctx, userId, limit) : NOTHING;
  const follow = unknown.count > limit;
  const [page, others, tokens, legacy, related, audit, indexEntries] = await Promise.all([
    readIndexed(ctx, userId, { limit }),
    readSessions(ctx, follow ? [] : unknown.sessions),
    readTokens(ctx, userId, scanned, unknown.verifications),
    readLegacy(ctx, unknown.legacy),
    readRelated(ctx, userId),
    readUserAudit(ctx, userId),
    readIndexSize(ctx, userId),
  ]);
  const sessions = [...page.sessions, ...notOnPage(page.sessions, others)];
  const nextCursor = cursorAfter(page.nextCursor, follow);
  return {
    userId,
    username: nameOf(sessions, legacy),
    sessions: inOrder(sessions, order),
    cut: nextCursor !== null,
    nextCursor,
    indexEntries,
    ...tokens,
    legacy,
    staleIndex: page.stale,
    unindexed:
      follow && storageOf(ctx).index
        ? unknown.count
        : sessions.filter(({ states }) => states.includes('unindexed')).length,
    scanned,
    complete: scanned && nextCursor === null,
    audit,
    related,
  };
};

/** A further page: sessions only. */
const readMore = async (
  ctx: ReadContext,
  { userId, complete, cursor, limit, ...order }: UserInput & { cursor: string },
): Promise<User> => {
  const { sessions, stale, nextCursor } = await readFurther(ctx, userId, { cursor, limit });
  const scanned = await isScanned(ctx, complete);
  return {
    userId,
    username: nameOf(sessions, []),
    sessions: inOrder(sessions, order),
    cut: nextCursor !== null,
    nextCursor,
    indexEntries: await readIndexSize(ctx, userId),
    oauth: [],
    verifications: [],
    legacy: [],
    audit: [],
    related: [],
    staleIndex: stale,
    unindexed: sessions.filter(({ states }) => states.includes('unindexed')).length,
    scanned,
    complete: nextCursor === null && scanned,
  };
};

/** One page of a user, with sorted sessions. Throws 400 for an invalid cursor. */
export const readUser = (ctx: ReadContext, { cursor, ...input }: UserInput): Promise<User> =>
  cursor === undefined ? readFirst(ctx, input) : readMore(ctx, { ...input, cursor });

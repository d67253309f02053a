import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { badField } from '@/lib/errors';
import { distinct } from '@/lib/redis/distinct';
import { type Chunk, fillPage, fillScanPage } from '@/lib/redis/page';
import { isServerCursor } from '@/lib/redis/scan-nodes';
import { connectedProcess, countWithRestart } from '@/lib/redis/server-process';
import { readSessions } from '../facts';
import { isMember, membershipOf, readIndexPage } from '../index-entries';
import { entryOf, parseSessionKey, type SessionKey, sessionMatch } from '../keys';
import { withOwners } from '../owners';
import { scanUsers, type UsersChunk } from '../scan-users';
import type { Session } from '../schema';

/** One page of a user's sessions. */
export interface SessionsPage {
  sessions: Session[];
  /** Stale index entries on the page. */
  stale: number;
  nextCursor: string | null;
}

/** Small enough for a cursor to mark the shown elements of a call. */
const ENTRIES_PER_CALL = 200;
const PAGE_MS = 2000;

/** A page of index entries, whether or not their sessions exist; `order` is that of the index. */
export const readIndexed = async (
  ctx: ReadContext,
  userId: string,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<SessionsPage> => {
  const page = await fillPage<Session | 'stale'>({
    cursor,
    limit,
    withinMs: PAGE_MS,
    first: '0',
    isServerCursor,
    servedBy: () => connectedProcess(ctx.connection),
    async *chunks(from): AsyncGenerator<Chunk> {
      let at = from;
      do {
        const { entries, next } = await readIndexPage(ctx, userId, at, Math.min(ENTRIES_PER_CALL, limit));
        yield { elements: entries.map(({ member }) => member), cursor: next === '0' ? null : next };
        at = next;
      } while (at !== '0');
    },
    read: async (members) => {
      const entries = members.map((member) => entryOf(ctx, userId, member)!);
      return (await readSessions(ctx, entries)).map((session) => session ?? 'stale');
    },
  });
  const sessions = page.items.filter((item) => item !== 'stale');
  return { sessions, stale: page.items.length - sessions.length, nextCursor: page.nextCursor };
};

/** What one user's index lacks: the first of each kind, and the number of sessions. */
export type Unindexed = UsersChunk & { count: number };

const withoutIndexed = async (ctx: ReadContext, keys: readonly SessionKey[]): Promise<SessionKey[]> => {
  const named = keys.filter(({ index }) => index !== null);
  const members: readonly unknown[] = await ctx.reader.readMany(named.map(membershipOf));
  const indexed = new Set(named.filter((_, i) => isMember(members[i])));
  return keys.filter((key) => !indexed.has(key));
};

/** By a scan; retains only the first `max` of each kind. */
export const findUnindexed = (ctx: ReadContext, userId: string, max: number): Promise<Unindexed> =>
  countWithRestart(ctx.connection, () => scanUnindexed(ctx, userId, max));

const scanUnindexed = async (ctx: ReadContext, userId: string, max: number): Promise<Unindexed> => {
  const unindexed: Unindexed = { sessions: [], legacy: [], verifications: [], unread: 0, count: 0 };
  const isNew = distinct();
  const keep = <K extends { key: Buffer }>(kept: K[], keys: readonly K[]): number => {
    const fresh = keys.filter(({ key }) => isNew(key));
    kept.push(...fresh.slice(0, max - kept.length));
    return fresh.length;
  };
  for await (const chunk of scanUsers(ctx, new Set([userId]), ctx.signal)) {
    if (chunk.sessions.length > 0)
      unindexed.count += keep(unindexed.sessions, await withoutIndexed(ctx, chunk.sessions));
    keep(unindexed.legacy, chunk.legacy);
    keep(unindexed.verifications, chunk.verifications);
  }
  return unindexed;
};

/** A page of the sessions missing in the index, in the order of a scan. */
const readUnindexed = async (
  ctx: ReadContext,
  userId: string,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<SessionsPage> => {
  const scan = { match: sessionMatch(ctx, userId) };
  const page = await fillScanPage<Session>(ctx.connection, scan, {
    cursor,
    limit,
    withinMs: PAGE_MS,
    read: async (keys) => {
      const parsed = await withOwners(
        ctx,
        keys.map((key) => parseSessionKey(ctx, key)),
      );
      const wanted = parsed.filter((key): key is SessionKey => key?.userId === userId);
      const read = await readSessions(ctx, wanted);
      const byKey = new Map(wanted.map((key, i) => [key, read[i]]));
      return parsed.map((key) => {
        const session = key ? byKey.get(key) : null;
        return session && !session.indexed ? session : null;
      });
    },
  });
  return { sessions: page.items, stale: 0, nextCursor: page.nextCursor };
};

/** Prefix of an index's cursor if unindexed sessions follow the index. */
const THEN_UNINDEXED = 'u';
/** Prefix of the cursors of unindexed sessions; alone for their first page. */
const UNINDEXED = 's';

/** The cursor after a page of the index. */
export const cursorAfter = (nextCursor: string | null, unindexedFollow: boolean): string | null => {
  if (nextCursor === null) return unindexedFollow ? UNINDEXED : null;
  return unindexedFollow ? `${THEN_UNINDEXED}${nextCursor}` : nextCursor;
};

/** The page of a cursor: the rest of the index, or unindexed sessions. Throws 400 for an invalid cursor. */
export const readFurther = async (
  ctx: ReadContext,
  userId: string,
  { cursor, limit }: { cursor: string; limit: number },
): Promise<SessionsPage> => {
  if (cursor.startsWith(UNINDEXED)) {
    const from = cursor.slice(UNINDEXED.length) || undefined;
    const page = await readUnindexed(ctx, userId, { cursor: from, limit });
    return { ...page, nextCursor: page.nextCursor && UNINDEXED + page.nextCursor };
  }
  const unindexedFollow = cursor.startsWith(THEN_UNINDEXED);
  const at = unindexedFollow ? cursor.slice(THEN_UNINDEXED.length) : cursor;
  if (at === '')
    throw badField('cursor', 'This cursor does not belong to this list: start again without one.');
  const page = await readIndexed(ctx, userId, { cursor: at, limit });
  return { ...page, nextCursor: cursorAfter(page.nextCursor, unindexedFollow) };
};

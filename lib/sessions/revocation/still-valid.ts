import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyId } from '@/lib/keyspace/display';
import type { Key } from '@/lib/redis/commands';
import { countWithRestart } from '@/lib/redis/server-process';
import type { VerificationKey } from '@/lib/tokens/keys';
import { readOauthKeysOf } from '@/lib/tokens/of-users';
import { indexPages } from '../index-entries';
import type { SessionKey } from '../keys';
import { readExisting, SMALL_KEYSPACE } from '../keyspace';
import { readExistingSessions } from '../owners';
import { readUsers, type UsersChunk } from '../scan-users';
import { jwtLife } from '../view';
import { type StillValid, stillValid } from './schema';
import type { Revoked, Target } from './targets';

type Entry = Omit<StillValid, 'count'>;

/** Index entries examined per user for valid tokens. */
const MAX_ENTRIES = 5000;
/** Users whose tokens are reported; a revocation by filter can match all users. */
export const MAX_USERS = 100;

/** Null never expires, so it is the longest. */
const longer = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : Math.max(a, b);

const KINDS = stillValid.shape.kind.options;

/** One line per kind, user and provider, with the number of tokens and the longest TTL. */
export class StillValidLines {
  private readonly lines = new Map<string, StillValid>();

  add(entry: Entry): void {
    const id = `${entry.kind}:${entry.userId}:${entry.provider ?? ''}`;
    const line = this.lines.get(id);
    if (!line) this.lines.set(id, { ...entry, count: 1 });
    else {
      line.count += 1;
      line.ttlSeconds = longer(line.ttlSeconds, entry.ttlSeconds);
    }
  }

  all(): StillValid[] {
    const rank = ({ kind }: StillValid): number => KINDS.indexOf(kind);
    return [...this.lines.values()].sort((a, b) => rank(a) - rank(b));
  }
}

/** The remaining lifetime of tokens, for applications that only check signatures, whatever happened to the session. */
export const addJwts = (lines: StillValidLines, targets: readonly Target[], now: number): void => {
  for (const { userId, token } of targets) {
    const life = jwtLife(token, now);
    if (life !== undefined && userId !== null) lines.add({ kind: 'jwt', userId, ttlSeconds: life });
  }
};

/** One user's index, up to a maximum number of entries. */
const readIndex = (ctx: ReadContext, userId: string) =>
  countWithRestart(ctx.connection, () => readIndexOnce(ctx, userId));

const readIndexOnce = async (ctx: ReadContext, userId: string) => {
  const entries = new Map<string, SessionKey>();
  for await (const page of indexPages(ctx, userId)) {
    for (const entry of page) entries.set(keyId(entry.key), entry);
    if (entries.size > MAX_ENTRIES)
      return { entries: [...entries.values()].slice(0, MAX_ENTRIES), complete: false };
  }
  return { entries: [...entries.values()], complete: true };
};

/** What was found that still gives these users access. */
interface Found extends UsersChunk {
  /** Tokens in the indexes, possibly without a session. */
  entries: SessionKey[];
  /** Whether the indexes were read completely. */
  entriesComplete: boolean;
  scanned: boolean;
}

/** By the users' indexes and, in a small keyspace, also by a scan. */
const findAll = async (ctx: ReadContext, users: ReadonlySet<string>): Promise<Found> => {
  const scanned = (await ctx.reader.size()) < SMALL_KEYSPACE;
  const chunk: UsersChunk = scanned
    ? await readUsers(ctx, users)
    : { sessions: [], legacy: [], verifications: [], unread: 0 };
  const entries: SessionKey[] = [];
  let entriesComplete = true;
  for (const userId of users) {
    const index = await readIndex(ctx, userId);
    for (const entry of index.entries) entries.push(entry);
    entriesComplete &&= index.complete;
  }
  return { ...chunk, entries, entriesComplete, scanned };
};

interface Asked {
  users: ReadonlySet<string>;
  /** Ids of keys that are, or would be, ended. */
  ended: ReadonlySet<string>;
  /** Verification tokens found by a complete search; undefined without one. */
  verifications?: readonly VerificationKey[];
  /** Unreadable sessions that may belong to these users. */
  unread: number;
  /** Kinds that a dry run would also end. */
  without?: Revoked['also'];
}

/**
 * What still gives these users access: other sessions and legacy keys, OAuth tokens, verification tokens. Without a
 * complete search it reports what indexes and exact keys contain, and in a small keyspace everything. Returns whether
 * it is certainly complete.
 */
export const readStillValid = async (
  ctx: ReadContext,
  lines: StillValidLines,
  { users, ended, unread, verifications, without }: Asked,
): Promise<boolean> => {
  const access = await findAll(ctx, users);
  const left = new Map(
    [...access.entries, ...access.sessions].map((session) => [keyId(session.key), session]),
  );
  for (const id of ended) left.delete(id);
  const isSearched = verifications !== undefined || access.scanned;
  const oauth = without?.includes('oauth')
    ? { keys: [], complete: true }
    : await readOauthKeysOf(ctx, users, isSearched);
  const checks = without?.includes('verification') ? [] : (verifications ?? access.verifications);
  const unreadable: { key: Key }[] = [];
  const [sessions, legacy, aliveOauth, aliveChecks] = await Promise.all([
    readExistingSessions(ctx, [...left.values()], unreadable),
    readExisting(
      ctx,
      access.legacy.filter(({ key }) => !ended.has(keyId(key))),
      unreadable,
    ),
    readExisting(ctx, oauth.keys, unreadable),
    readExisting(ctx, checks, unreadable),
  ]);
  for (const { userId, ttlSeconds } of sessions) lines.add({ kind: 'session', userId: userId!, ttlSeconds });
  for (const { userId, ttlSeconds } of legacy) lines.add({ kind: 'legacySession', userId, ttlSeconds });
  for (const { userId, kind, provider, ttlSeconds } of aliveOauth)
    lines.add({ kind: kind === 'access' ? 'oauthAccess' : 'oauthRefresh', userId, provider, ttlSeconds });
  for (const { userId, ttlSeconds } of aliveChecks)
    lines.add({ kind: 'verification', userId: userId!, ttlSeconds });
  const isRead = unread + access.unread + unreadable.length === 0;
  return isSearched && access.entriesComplete && oauth.complete && isRead;
};

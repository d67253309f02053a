import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyId } from '@/lib/keyspace/display';
import { canScanByScript, scanByScript, scanKeys } from '@/lib/redis/scan';
import {
  FIRST_CURSOR,
  isScanCursor,
  isServerCursor,
  type ScanOptions,
  type ScanPlace,
} from '@/lib/redis/scan-nodes';
import { readSessions } from './facts';
import { deviceCheck, matchesFilter, scriptFilter } from './filter';
import { readStalePage } from './index-entries';
import {
  entryOf,
  indexMatch,
  indexUserOf,
  type LegacyKey,
  legacyMatch,
  parseLegacyKey,
  parseSessionKey,
  type SessionKey,
  sessionMatch,
  sessionOfLegacy,
} from './keys';
import { readExisting } from './keyspace';
import { withOwners } from './owners';
import type { Session, SessionFilter } from './schema';
import { storageOf } from './storage';
import { toLegacySession, toStaleSession } from './view';

/** A session that matched a filter, with the keys to revoke, which stay in memory. */
export interface Match {
  key: SessionKey;
  /** The legacy key, if the match is one. */
  legacy: LegacyKey | null;
  session: Session;
}

/** The result of one scan call. */
interface SourceChunk extends ScanPlace {
  elements: Buffer[];
  /** Examined sessions, keys or entries. */
  examined: number;
}

type From = Omit<ScanOptions, 'match'>;

/** Where a filter's sessions come from: session keys, legacy keys, or stale index entries. */
export interface Source {
  isCursor(cursor: string): boolean;
  chunks(from: From): AsyncGenerator<SourceChunk>;
  /** The matches among elements, in order; null for other elements. */
  read(elements: readonly Buffer[]): Promise<(Match | null)[]>;
}

/** Keys that match a glob. */
async function* keysFrom(ctx: ReadContext, match: string, from: From): AsyncGenerator<SourceChunk> {
  for await (const { keys, ...place } of scanKeys(ctx.connection, { ...from, match }))
    yield { elements: keys, examined: keys.length, ...place };
}

/** For a connection without such keys. */
async function* nothing(): AsyncGenerator<SourceChunk> {
  yield {
    elements: [],
    examined: 0,
    cursor: null,
    share: 1,
    isStill: true,
    part: { index: 0, share: 1, weight: 0 },
    count: 0,
  };
}

/** Without pauses, larger calls keep the server from waiting for the console. */
const UNTHROTTLED_CHUNKS_PER_CALL = 4;

const timesOf = (ctx: ReadContext): number =>
  ctx.connection.budget.limits.pauseMs === 0 ? UNTHROTTLED_CHUNKS_PER_CALL : 1;

/** With a script that excludes certain mismatches on the server. */
async function* keysByScript(
  ctx: ReadContext,
  filter: SessionFilter,
  from: From,
): AsyncGenerator<SourceChunk> {
  const fixed = scriptFilter(ctx, filter);
  const device = deviceCheck(filter);
  const args = () => [...fixed, ...device.known()];
  const options = { times: timesOf(ctx), ...from, match: sessionMatch(ctx) };
  for await (const { picked, ...chunk } of scanByScript(ctx.connection, 'find-sessions', args, options)) {
    // Nothing is beside a key that the script could not read.
    const mayMatch = ({ beside }: { beside: Buffer }) => beside.length === 0 || device.mayPass(beside);
    const elements = picked.filter(mayMatch).map(({ key }) => key);
    yield { elements, ...chunk };
  }
}

const isEmpty = (filter: SessionFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);

/**
 * Session keys. Nothing is excluded on the server if sessions are not hashes that a script can filter, or on Redis
 * 6.2, which has no read-only scripts.
 */
const sessionKeys = (ctx: ReadContext, filter: SessionFilter): Source => ({
  isCursor: isScanCursor,
  async *chunks(from) {
    if (isEmpty(filter) || !storageOf(ctx).classic || !(await canScanByScript(ctx.connection)))
      yield* keysFrom(ctx, sessionMatch(ctx), from);
    else yield* keysByScript(ctx, filter, from);
  },
  async read(keys) {
    const parsed = await withOwners(
      ctx,
      keys.map((key) => parseSessionKey(ctx, key)),
    );
    const sessions = await readSessions(
      ctx,
      parsed.filter((key) => key !== null),
    );
    const now = ctx.now();
    let next = 0;
    return parsed.map((key) => {
      const session = key && sessions[next++];
      return key && session && matchesFilter(session, filter, now) ? { key, legacy: null, session } : null;
    });
  },
});

const legacyKeys = (ctx: ReadContext, filter: SessionFilter): Source => ({
  isCursor: isScanCursor,
  chunks: (from) => {
    const match = legacyMatch(ctx);
    return match === null ? nothing() : keysFrom(ctx, match, from);
  },
  async read(keys) {
    const parsed = keys.map((key) => parseLegacyKey(ctx, key));
    const alive = await readExisting(
      ctx,
      parsed.filter((key) => key !== null),
    );
    const ttls = new Map(alive.map(({ key, ttlSeconds }) => [key, ttlSeconds]));
    const now = ctx.now();
    return parsed.map((legacy) => {
      const ttl = legacy ? ttls.get(legacy.key) : undefined;
      if (!legacy || ttl === undefined) return null;
      const key = sessionOfLegacy(ctx, legacy);
      const session = toLegacySession(legacy, ttl, now);
      return matchesFilter(session, filter, now) ? { key, legacy, session } : null;
    });
  },
});

const STALE_ENTRIES_PER_CALL = 100;

/**
 * The cursor of the SCAN call that found an index and its COUNT, and within it the user (in base64url) and the index's
 * cursor.
 */
const STALE_CURSOR = /^([\d:e]{1,1500})(?:\.(\d{1,4})\.([\w-]{1,256})\.(\d{1,20}))?$/;

/** Numbers that Redis would not accept as a cursor are invalid. */
const isStaleCursor = (cursor: string): boolean => {
  const [, call, , , within = '0'] = STALE_CURSOR.exec(cursor) ?? [];
  return call !== undefined && isScanCursor(call) && isServerCursor(within);
};

/** The largest COUNT that a cursor may repeat. */
const MAX_COUNT = 1000;

const SEPARATOR = Buffer.from([0]);

/** A stale entry as bytes: user, a zero byte, the index's member. */
const staleElementOf = ({ userId, member }: SessionKey): Buffer =>
  Buffer.concat([Buffer.from(userId!), SEPARATOR, member]);

const parseStaleElement = (ctx: ReadContext, element: Buffer): SessionKey | null => {
  const at = element.indexOf(SEPARATOR);
  return entryOf(ctx, element.toString('utf8', 0, at), element.subarray(at + 1));
};

/**
 * Stale index entries, one page of one index at a time. Indexes of one SCAN call are read in the order of their users,
 * so that a cursor can address the position inside the call.
 */
async function* scanStaleEntries(ctx: ReadContext, match: string, from: From): AsyncGenerator<SourceChunk> {
  const parsed = STALE_CURSOR.exec(from.cursor ?? '') ?? [];
  const [, at = FIRST_CURSOR, before, firstUser = '', within = '0'] = parsed;
  let call = at;
  let resume = { user: Buffer.from(firstUser, 'base64url').toString(), cursor: within };
  const firstCount = before === undefined ? undefined : Math.min(Math.max(1, Number(before)), MAX_COUNT);
  const options = { ...from, cursor: at, match, isInOrder: true, firstCount };
  for await (const { keys, ...place } of scanKeys(ctx.connection, options)) {
    const userIds = keys.map((key) => indexUserOf(ctx, key)).filter((user) => user !== null);
    const users = [...new Set(userIds)].sort().filter((user) => user >= resume.user);
    for (const [i, user] of users.entries()) {
      let next = user === resume.user ? resume.cursor : '0';
      do {
        const page = await readStalePage(ctx, user, next, STALE_ENTRIES_PER_CALL);
        next = page.next;
        const following = next === '0' ? users[i + 1] : user;
        const at =
          following === undefined
            ? place.cursor
            : `${call}.${place.count}.${keyId(Buffer.from(following))}.${next}`;
        yield { ...place, elements: page.entries.map(staleElementOf), cursor: at, examined: page.examined };
      } while (next !== '0');
    }
    if (users.length === 0) yield { ...place, elements: [], examined: 0 };
    resume = { user: '', cursor: '0' };
    if (place.cursor !== null) call = place.cursor;
  }
}

const staleEntries = (ctx: ReadContext, filter: SessionFilter): Source => ({
  isCursor: isStaleCursor,
  chunks: (from) => {
    const match = indexMatch(ctx);
    return match === null ? nothing() : scanStaleEntries(ctx, match, from);
  },
  read: async (elements) =>
    elements.map((element) => {
      const key = parseStaleElement(ctx, element);
      if (!key) return null;
      const session = toStaleSession(key);
      return matchesFilter(session, filter, ctx.now()) ? { key, legacy: null, session } : null;
    }),
});

export const sourceOf = (ctx: ReadContext, filter: SessionFilter): Source => {
  storageOf(ctx);
  if (filter.state === 'legacy') return legacyKeys(ctx, filter);
  return filter.state === 'staleIndex' ? staleEntries(ctx, filter) : sessionKeys(ctx, filter);
};

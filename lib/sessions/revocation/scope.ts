import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyId } from '@/lib/keyspace/display';
import { ahead } from '@/lib/redis/ahead';
import { scanKeys } from '@/lib/redis/scan';
import { countWithRestart, walkWithRestart } from '@/lib/redis/server-process';
import { indexPages } from '../index-entries';
import {
  handleOf,
  type LegacyKey,
  legacyMatch,
  parseLegacyKey,
  parseSessionKey,
  type SessionKey,
  sessionMatch,
  tokenDigest,
} from '../keys';
import { withOwners } from '../owners';
import { scanUsers } from '../scan-users';
import { type SessionFilter, userOfHandle } from '../schema';
import { sourceOf } from '../sources';
import { type Revoked, type ScopePart, type Target, toTargets } from './targets';

/** The sessions to revoke, in parts, so that they need not all be in memory. */
export interface Scope {
  parts(signal?: AbortSignal): AsyncIterable<ScopePart>;
  /**
   * The number of requested handles: those without a session count as matched and already gone. Null for a user or a
   * filter.
   */
  named: number | null;
  /** Whether indexes and exact keys found everything, so that no scan is needed. */
  isResolved: boolean;
}

/**
 * Everything of one user: the entries of the index (including stale ones), then by a scan what the index lacks, and
 * legacy keys with any token. A session may occur twice.
 */
const userScope = (ctx: ReadContext, userId: string): Scope => ({
  named: null,
  isResolved: false,
  async *parts(signal) {
    const { connection } = ctx;
    for await (const entries of walkWithRestart(connection, () => indexPages(ctx, userId), { signal })) {
      signal?.throwIfAborted();
      yield { targets: await toTargets(ctx, entries), verifications: [] };
    }
    const scan = () => scanUsers(ctx, new Set([userId]), signal);
    for await (const { sessions, legacy, ...others } of walkWithRestart(connection, scan, { signal }))
      yield { targets: await toTargets(ctx, sessions, legacy), ...others };
  },
});

/** Number of sessions without a name whose legacy keys one scan finds. */
const MAX_UNNAMED = 10_000;

const legacyTargetsOf = async (ctx: ReadContext, handles: ReadonlySet<string>, signal?: AbortSignal) => ({
  targets: await toTargets(
    ctx,
    [],
    await countWithRestart(ctx.connection, () => scanForLegacy(ctx, handles, signal), signal),
  ),
  verifications: [],
});

const filterScope = (ctx: ReadContext, filter: SessionFilter): Scope => ({
  named: null,
  isResolved: false,
  async *parts(signal) {
    const source = sourceOf(ctx, filter);
    const unnamed = new Set<string>();
    const walk = () => ahead(source.chunks({ signal }));
    for await (const { elements } of walkWithRestart(ctx.connection, walk, { signal })) {
      const matches = (await source.read(elements)).filter((match) => match !== null);
      const sessions = matches.filter(({ legacy }) => legacy === null).map(({ key }) => key);
      const legacy = matches.flatMap((match) => (match.legacy ? [match.legacy] : []));
      const targets = await toTargets(ctx, sessions, legacy);
      for (const handle of unnamedIn(targets)) unnamed.add(handle);
      // Also yields empty parts, so that the caller can check its time-out.
      yield { targets, verifications: [] };
      if (unnamed.size < MAX_UNNAMED) continue;
      yield await legacyTargetsOf(ctx, unnamed, signal);
      unnamed.clear();
    }
    yield await legacyTargetsOf(ctx, unnamed, signal);
  },
});

export const usersOf = (handles: Iterable<string>): Set<string> =>
  new Set([...handles].map(userOfHandle).filter((user) => user !== null));

/** The sessions of the handles found so far. */
type Resolved = Map<string, SessionKey>;

/** By the indexes, storing only the requested handles. */
const resolveByIndex = async (ctx: ReadContext, handles: readonly string[]): Promise<Resolved> => {
  const wanted = new Set(handles);
  const resolved: Resolved = new Map();
  for (const userId of usersOf(handles)) {
    for await (const entries of indexPages(ctx, userId)) {
      for (const entry of entries) {
        const handle = handleOf(userId, entry.token);
        if (wanted.has(handle)) resolved.set(handle, entry);
      }
      if (resolved.size === wanted.size) break;
    }
  }
  return resolved;
};

/** Adds sessions that are in no index. */
const scanForSessions = async (
  ctx: ReadContext,
  handles: readonly string[],
  resolved: Resolved,
  signal?: AbortSignal,
): Promise<void> => {
  const users = usersOf(handles);
  const missing = new Set(handles.filter((handle) => !resolved.has(handle)));
  if (missing.size === 0) return;
  const only = users.size === 1 ? [...users][0] : undefined;
  // Where only the value contains the user, the token alone excludes nearly all keys.
  const digests = new Set([...missing].map((handle) => handle.slice(handle.lastIndexOf('.') + 1)));
  const mayBeNamed = ({ storage, token }: SessionKey): boolean =>
    storage.userParam !== null || digests.has(tokenDigest(token));
  for await (const { keys } of scanKeys(ctx.connection, { match: sessionMatch(ctx, only), signal })) {
    const parsed = keys.map((key) => parseSessionKey(ctx, key));
    const candidates = parsed.filter((key) => key && mayBeNamed(key));
    for (const session of await withOwners(ctx, candidates)) {
      if (session?.userId == null || !users.has(session.userId)) continue;
      const handle = handleOf(session.userId, session.token);
      if (missing.delete(handle)) resolved.set(handle, session);
    }
    if (missing.size === 0) return;
  }
};

/**
 * Handles of sessions whose legacy key cannot be computed, for lack of a name: a ghost, a stale index entry, a name
 * that is not text.
 */
const unnamedIn = (targets: readonly Target[]): string[] =>
  targets.flatMap(({ userId, token, named }) => (named || userId === null ? [] : [handleOf(userId, token)]));

/** A token may occur under several names, so the scan always continues to the end. */
const scanForLegacy = async (
  ctx: ReadContext,
  handles: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<LegacyKey[]> => {
  if (handles.size === 0) return [];
  const users = usersOf(handles);
  const legacyKeys = new Map<string, LegacyKey>();
  const match = legacyMatch(ctx);
  if (match === null) return [];
  for await (const { keys } of scanKeys(ctx.connection, { match, signal }))
    for (const key of keys) {
      const legacy = parseLegacyKey(ctx, key);
      if (legacy && users.has(legacy.userId) && handles.has(handleOf(legacy.userId, legacy.token)))
        legacyKeys.set(keyId(key), legacy);
    }
  return [...legacyKeys.values()];
};

/** Handles whose legacy key only a scan can find: sessions without a name, and sessions that were not found. */
const unresolvedHandles = async (
  ctx: ReadContext,
  handles: readonly string[],
  resolved: Resolved,
): Promise<Set<string>> => {
  const unnamed = unnamedIn(await toTargets(ctx, [...resolved.values()]));
  return new Set([...unnamed, ...handles.filter((handle) => !resolved.has(handle))]);
};

const handleScope = async (ctx: ReadContext, handles: readonly string[]): Promise<Scope> => {
  const resolved = await countWithRestart(ctx.connection, () => resolveByIndex(ctx, handles));
  const unresolved = await unresolvedHandles(ctx, handles, resolved);
  return {
    named: new Set(handles).size,
    isResolved: unresolved.size === 0,
    async *parts(signal) {
      await countWithRestart(ctx.connection, () => scanForSessions(ctx, handles, resolved, signal), signal);
      const unnamed = await unresolvedHandles(ctx, handles, resolved);
      const legacy = await countWithRestart(
        ctx.connection,
        () => scanForLegacy(ctx, unnamed, signal),
        signal,
      );
      yield { targets: await toTargets(ctx, [...resolved.values()], legacy), verifications: [] };
    },
  };
};

export const scopeOf = (ctx: ReadContext, { handles, userId, filter }: Revoked): Promise<Scope> | Scope => {
  if (userId !== undefined) return userScope(ctx, userId);
  return filter ? filterScope(ctx, filter) : handleScope(ctx, handles ?? []);
};

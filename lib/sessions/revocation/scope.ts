import 'server-only';
import { keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import { ahead } from '@/lib/redis/ahead';
import { scanKeys } from '@/lib/redis/scan';
import { scanUsers } from './find';
import { indexPages } from './index-entries';
import {
  familyOf,
  handleOf,
  type LegacyKey,
  parseLegacyKey,
  parseSessionKey,
  type SessionKey,
  sessionMatch,
} from './keys';
import type { SessionFilter } from './schema';
import { sourceOf } from './source';
import { type Revoked, type Target, toTargets } from './targets';
import type { VerificationKey } from './tokens/keys';

/** What a revocation reaches, a part at a time, so that it need not be in memory as a whole. */
export interface Scope {
  parts(signal?: AbortSignal): AsyncGenerator<{ targets: Target[]; verifications: VerificationKey[] }>;
  /** What was named and is gone counts as matched and already gone (handles), or as nothing (a user, a filter). */
  named: number | null;
}

/**
 * Everything of one user: what the index names (existing or not, for stale entries go as well), then by a scan what
 * it does not know, and legacy keys of any token. A session may come twice.
 */
const userScope = (ctx: ReadContext, userId: string): Scope => ({
  named: null,
  async *parts(signal) {
    for await (const entries of indexPages(ctx, userId)) {
      signal?.throwIfAborted();
      yield { targets: await toTargets(ctx, entries), verifications: [] };
    }
    for await (const { sessions, legacy, verifications } of scanUsers(ctx, new Set([userId]), signal))
      yield { targets: await toTargets(ctx, sessions, legacy), verifications };
  },
});

/** Matches without a name that one scan looks for the legacy keys of. */
const MOST_UNNAMED = 10_000;

const twinsOf = async (ctx: ReadContext, handles: ReadonlySet<string>, signal?: AbortSignal) => ({
  targets: await toTargets(ctx, [], await resolveLegacy(ctx, handles, signal)),
  verifications: [],
});

const filterScope = (ctx: ReadContext, filter: SessionFilter): Scope => ({
  named: null,
  async *parts(signal) {
    const source = sourceOf(ctx, filter);
    const unnamed = new Set<string>();
    for await (const { elements } of ahead(source.chunks({ signal }))) {
      const matches = (await source.read(elements)).filter((match) => match !== null);
      const sessions = matches.filter(({ legacy }) => legacy === null).map(({ key }) => key);
      const legacy = matches.flatMap((match) => (match.legacy ? [match.legacy] : []));
      const targets = await toTargets(ctx, sessions, legacy);
      for (const handle of unnamedIn(targets)) unnamed.add(handle);
      // Also where nothing fits: whoever waits looks at the clock between parts.
      yield { targets, verifications: [] };
      if (unnamed.size < MOST_UNNAMED) continue;
      yield await twinsOf(ctx, unnamed, signal);
      unnamed.clear();
    }
    yield await twinsOf(ctx, unnamed, signal);
  },
});

export const usersOf = (handles: readonly string[]): Set<string> =>
  new Set(handles.map((handle) => handle.slice(0, handle.indexOf('.'))));

/** What handles stand for, as far as it was found. */
type Resolved = Map<string, SessionKey>;

/** From the indexes, without keeping what was not asked for. */
const resolveByIndex = async (ctx: ReadContext, handles: readonly string[]): Promise<Resolved> => {
  const wanted = new Set(handles);
  const sessions = new Map<string, SessionKey>();
  for (const userId of usersOf(handles)) {
    for await (const entries of indexPages(ctx, userId)) {
      for (const entry of entries) {
        const handle = handleOf(userId, entry.token);
        if (wanted.has(handle)) sessions.set(handle, entry);
      }
      if (sessions.size === wanted.size) break;
    }
  }
  return sessions;
};

/** Sessions that no index knows. */
const resolveSessions = async (
  ctx: ReadContext,
  handles: readonly string[],
  sessions: Resolved,
): Promise<void> => {
  const users = usersOf(handles);
  const missing = new Set(handles.filter((handle) => !sessions.has(handle)));
  if (missing.size === 0) return;
  const only = users.size === 1 ? [...users][0] : undefined;
  for await (const { keys } of scanKeys(ctx.connection, { match: sessionMatch(ctx, only) })) {
    for (const key of keys) {
      const found = parseSessionKey(ctx, key);
      if (found?.userId == null || !users.has(found.userId)) continue;
      const handle = handleOf(found.userId, found.token);
      if (missing.delete(handle)) sessions.set(handle, found);
    }
    if (missing.size === 0) return;
  }
};

/** Handles of what has no name to find its legacy key by: a ghost, a stale index entry, a name that is no text. */
const unnamedIn = (targets: readonly Target[]): string[] =>
  targets.flatMap(({ userId, token, named }) => (named || userId === null ? [] : [handleOf(userId, token)]));

/** A token can have been written under several names: the walk goes to the end. */
const resolveLegacy = async (
  ctx: ReadContext,
  handles: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<LegacyKey[]> => {
  if (handles.size === 0) return [];
  const users = usersOf([...handles]);
  const found = new Map<string, LegacyKey>();
  const match = familyOf(ctx, 'discours.legacy-session').match();
  for await (const { keys } of scanKeys(ctx.connection, { match, signal }))
    for (const key of keys) {
      const legacy = parseLegacyKey(ctx, key);
      if (legacy && users.has(legacy.userId) && handles.has(handleOf(legacy.userId, legacy.token)))
        found.set(keyId(key), legacy);
    }
  return [...found.values()];
};

/** Handles whose legacy key only a scan can find: of what has no name, and of what is no session that was found. */
const toLookFor = async (
  ctx: ReadContext,
  handles: readonly string[],
  sessions: Resolved,
): Promise<Set<string>> => {
  const unnamed = unnamedIn(await toTargets(ctx, [...sessions.values()]));
  return new Set([...unnamed, ...handles.filter((handle) => !sessions.has(handle))]);
};

/** Whether every handle stands for a session that its user's index knows and whose legacy twin has an exact name. */
export const isAtHand = async (ctx: ReadContext, handles: readonly string[]): Promise<boolean> =>
  (await toLookFor(ctx, handles, await resolveByIndex(ctx, handles))).size === 0;

const handleScope = async (ctx: ReadContext, handles: readonly string[]): Promise<Scope> => {
  const found = await resolveByIndex(ctx, handles);
  await resolveSessions(ctx, handles, found);
  const legacy = await resolveLegacy(ctx, await toLookFor(ctx, handles, found));
  const sessions = [...new Map([...found.values()].map((key) => [keyId(key.key), key])).values()];
  return {
    named: new Set(handles).size,
    async *parts() {
      yield { targets: await toTargets(ctx, sessions, legacy), verifications: [] };
    },
  };
};

export const scopeOf = (ctx: ReadContext, { handles, userId, filter }: Revoked): Promise<Scope> | Scope => {
  if (userId !== undefined) return userScope(ctx, userId);
  return filter ? filterScope(ctx, filter) : handleScope(ctx, handles ?? []);
};

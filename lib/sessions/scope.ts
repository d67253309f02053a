import 'server-only';
import { keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
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

const filterScope = (ctx: ReadContext, filter: SessionFilter): Scope => ({
  named: null,
  async *parts(signal) {
    const source = sourceOf(ctx, filter);
    for await (const { elements } of source.chunks({ toEnd: true, signal })) {
      const matches = (await source.read(elements)).filter((match) => match !== null);
      const sessions = matches.filter(({ legacy }) => legacy === null).map(({ key }) => key);
      const legacy = matches.flatMap((match) => (match.legacy ? [match.legacy] : []));
      const targets = await toTargets(ctx, sessions, legacy);
      if (targets.length > 0) yield { targets, verifications: [] };
    }
  },
});

export const usersOf = (handles: readonly string[]): Set<string> =>
  new Set(handles.map((handle) => handle.slice(0, handle.indexOf('.'))));

/** What handles stand for, as far as it was found. */
interface Resolved {
  sessions: Map<string, SessionKey>;
  legacy: LegacyKey[];
}

/** From the indexes, without keeping what was not asked for. */
export const resolveByIndex = async (ctx: ReadContext, handles: readonly string[]): Promise<Resolved> => {
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
  return { sessions, legacy: [] };
};

/** What no index knows, by a scan: first among sessions, then among keys of the deprecated format. */
const resolveByScan = async (
  ctx: ReadContext,
  handles: readonly string[],
  { sessions, legacy }: Resolved,
): Promise<void> => {
  const users = usersOf(handles);
  const missing = new Set(handles.filter((handle) => !sessions.has(handle)));
  const only = users.size === 1 ? [...users][0] : undefined;
  for (const match of [sessionMatch(ctx, only), familyOf(ctx, 'discours.legacy-session').match()]) {
    if (missing.size === 0) return;
    for await (const { keys } of scanKeys(ctx.connection, { match })) {
      for (const key of keys) {
        const session = parseSessionKey(ctx, key);
        const found = session ?? parseLegacyKey(ctx, key);
        if (found?.userId == null || !users.has(found.userId)) continue;
        const handle = handleOf(found.userId, found.token);
        if (!missing.delete(handle)) continue;
        if (session) sessions.set(handle, session);
        else legacy.push(found as LegacyKey);
      }
      if (missing.size === 0) break;
    }
  }
};

const handleScope = async (ctx: ReadContext, handles: readonly string[]): Promise<Scope> => {
  const resolved = await resolveByIndex(ctx, handles);
  if (resolved.sessions.size < new Set(handles).size) await resolveByScan(ctx, handles, resolved);
  const sessions = [...new Map([...resolved.sessions.values()].map((key) => [keyId(key.key), key])).values()];
  return {
    named: new Set(handles).size,
    async *parts() {
      yield { targets: await toTargets(ctx, sessions, resolved.legacy), verifications: [] };
    },
  };
};

export const scopeOf = (ctx: ReadContext, { handles, userId, filter }: Revoked): Promise<Scope> | Scope => {
  if (userId !== undefined) return userScope(ctx, userId);
  return filter ? filterScope(ctx, filter) : handleScope(ctx, handles ?? []);
};

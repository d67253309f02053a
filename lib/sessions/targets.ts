import 'server-only';
import { keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { scanKeys } from '@/lib/redis/scan';
import { textOf } from '@/lib/values/string-value';
import { type Found, findAll } from './find';
import { handleOf, legacyTwinOf, parseSessionKey, type SessionKey, sessionKeyOf, sessionMatch } from './keys';
import type { sessionContracts } from './schema';
import { readAlive } from './tokens';
import { FIELD_LIMITS } from './view';

export type RevokeInput = Input<typeof sessionContracts.revoke>;

/** One session to end: everything that carries its token. */
export interface Target {
  userId: string;
  token: Buffer;
  /** The session's key; it need not exist. */
  key: Key;
  /** Legacy keys of the same token. */
  legacy: Key[];
}

/** What a revocation reaches. */
export interface Selection {
  users: Set<string>;
  targets: Target[];
  /** Handles for which there is nothing at all any more. */
  unresolved: number;
  found: Found;
}

const targetOf = ({ userId, token, key }: SessionKey, legacy: Key[] = []): Target => ({
  userId: userId!,
  token,
  key,
  legacy,
});

/** Everything of one user: sessions with and without index entry, stale entries, and legacy keys of any token. */
const selectUser = async (ctx: ReadContext, userId: string): Promise<Selection> => {
  const users = new Set([userId]);
  const found = await findAll(ctx, users, { complete: true });
  const targets = new Map<string, Target>();
  for (const session of [...found.entries, ...found.sessions])
    targets.set(keyId(session.key), targetOf(session));
  for (const { key, token } of found.legacy) {
    const session = sessionKeyOf(ctx, userId, token);
    const twin = targets.get(keyId(session)) ?? { userId, token, key: session, legacy: [] };
    targets.set(keyId(session), { ...twin, legacy: [...twin.legacy, key] });
  }
  return { users, targets: [...targets.values()], unresolved: 0, found };
};

/** Fills in the sessions of handles that no index knows, by a scan. */
const scanForHandles = async (
  ctx: ReadContext,
  users: ReadonlySet<string>,
  wanted: Map<string, SessionKey | null>,
): Promise<void> => {
  const match = sessionMatch(ctx, users.size === 1 ? [...users][0] : undefined);
  let missing = [...wanted.values()].filter((session) => session === null).length;
  for await (const { keys } of scanKeys(ctx.connection, { match })) {
    for (const key of keys) {
      const session = parseSessionKey(ctx, key);
      if (session?.userId == null || !users.has(session.userId)) continue;
      const handle = handleOf(session.userId, session.token);
      if (wanted.get(handle) !== null) continue;
      wanted.set(handle, session);
      missing -= 1;
    }
    if (missing === 0) return;
  }
};

/** The legacy twins that a session's own name leads to. */
const readTwins = async (ctx: ReadContext, sessions: readonly SessionKey[]): Promise<(Key | null)[]> => {
  const lengths: readonly unknown[] = await ctx.reader.readMany(
    sessions.map(({ key }): ReadCommand => ['HSTRLEN', key, 'username']),
  );
  const named = sessions.filter((_, i) => {
    const length = lengths[i];
    return typeof length === 'number' && length > 0 && length <= FIELD_LIMITS.username;
  });
  const names: readonly unknown[] = await ctx.reader.readMany(
    named.map(({ key }): ReadCommand => ['HGET', key, 'username']),
  );
  const twins = new Map(
    named.map((session, i) => {
      const name = Buffer.isBuffer(names[i]) ? textOf(names[i]) : null;
      return [session, name === null ? null : legacyTwinOf(ctx, session.userId!, name, session.token)];
    }),
  );
  return sessions.map((session) => twins.get(session) ?? null);
};

const selectHandles = async (
  ctx: ReadContext,
  handles: readonly string[],
  complete: boolean,
): Promise<Selection> => {
  const wanted = new Map<string, SessionKey | null>(handles.map((handle) => [handle, null]));
  const users = new Set(handles.map((handle) => handle.slice(0, handle.indexOf('.'))));
  const found = await findAll(ctx, users, { complete });
  for (const session of [...found.entries, ...found.sessions]) {
    const handle = handleOf(session.userId!, session.token);
    if (wanted.has(handle)) wanted.set(handle, session);
  }
  if (!found.scanned && [...wanted.values()].includes(null)) await scanForHandles(ctx, users, wanted);
  const sessions = [...wanted.values()].filter((session): session is SessionKey => session !== null);
  const twins = await readTwins(ctx, sessions);
  const targets = sessions.map((session, i) => {
    const scanned = found.legacy.filter(
      ({ userId, token }) => userId === session.userId && token.equals(session.token),
    );
    const legacy = new Map(scanned.map(({ key }) => [keyId(key), key]));
    const twin = twins[i];
    if (twin) legacy.set(keyId(twin), twin);
    return targetOf(session, [...legacy.values()]);
  });
  return { users, targets, unresolved: wanted.size - sessions.length, found };
};

/** A revocation of a user is always complete; one by handles looks only where the handles' users are. */
export const select = (ctx: ReadContext, { userId, handles, also }: RevokeInput): Promise<Selection> =>
  userId === undefined
    ? selectHandles(ctx, handles ?? [], also?.includes('verification') ?? false)
    : selectUser(ctx, userId);

/** Those of the targets of which anything exists now. */
export const readAliveTargets = async (
  ctx: ReadContext,
  targets: readonly Target[],
): Promise<Set<Target>> => {
  const keys = targets.flatMap((target) => [target.key, ...target.legacy].map((key) => ({ key, target })));
  return new Set((await readAlive(ctx, keys)).map(({ target }) => target));
};

import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import { keyId } from '@/lib/keyspace/display';
import type { Key } from '@/lib/redis/commands';
import type { VerificationKey } from '@/lib/tokens/keys';
import { readShortFields } from '@/lib/values/read-each';
import { textOf } from '@/lib/values/string-value';
import { type LegacyKey, legacyKeyOf, type SessionKey, sessionOfLegacy } from '../keys';
import { readExisting } from '../keyspace';
import { readExistingSessions, readOwn } from '../owners';
import { FACT_LIMITS, factIn, type SessionStorage, storageOf } from '../storage';
import { ANY_OWNER, ownedBy } from '../stored-values';
import type { revocationContracts } from './schema';

type RevokeBody = Input<typeof revocationContracts.revoke>;
export type Revoked = Pick<RevokeBody, 'handles' | 'userId' | 'filter' | 'also'>;

/** One session to end, with every key that contains its token. */
export interface Target {
  /** Null where the key is too damaged to contain its user: it belongs to no index. */
  userId: string | null;
  token: Buffer;
  /** The session's key; it need not exist. */
  key: Key;
  index: Key | null;
  storage: SessionStorage;
  /** The session's member in its index. */
  member: Buffer;
  /** What `owned-session.lua` must find in the value; null where scripts need not check it. */
  owner: Buffer | null;
  /** Legacy keys of the same token. */
  legacy: Key[];
  /** Whether its legacy key was computed from its name, or cannot exist. */
  named: boolean;
}

/** What is revoked together: one step of a scan through a scope. */
export interface ScopePart {
  targets: Target[];
  verifications: VerificationKey[];
  /** Sessions that may belong to the scope, but have unreadable values. */
  unread?: number;
}

/**
 * The name in a session's hash; null where the session does not exist, has no name, or has one that a legacy key
 * cannot contain.
 */
const readNames = async (ctx: ReadContext, sessions: readonly SessionKey[]): Promise<(string | null)[]> => {
  const field = factIn(storageOf(ctx), 'username')?.field;
  if (field === undefined) return sessions.map(() => null);
  const hashes = sessions.map(({ key }) => ({ key, fields: [field] }));
  const names = await readShortFields(ctx.reader, hashes, FACT_LIMITS.username);
  return names.map(([name]) => (Buffer.isBuffer(name) ? textOf(name) : null));
};

/** The names and expected owners of sessions. */
const readBeforehand = async (ctx: ReadContext, sessions: readonly SessionKey[]) => {
  const { classic, userParam, legacy } = storageOf(ctx);
  if (classic) {
    const names = legacy ? await readNames(ctx, sessions) : [];
    return sessions.map((_, i) => ({ name: names[i] ?? null, owner: null }));
  }
  const values = await readOwn(ctx, sessions);
  return sessions.map(({ userId }, i) => {
    const { owner, fields } = values[i] ?? { owner: null, fields: { username: undefined } };
    // A session that does not exist, or belongs to another user, must not be deleted if that changes meanwhile.
    const gone = userParam !== null || userId === null ? ANY_OWNER : ownedBy(userId);
    return { name: fields.username ? textOf(fields.username) : null, owner: owner ?? gone };
  });
};

type SessionPart = Pick<Target, 'userId' | 'token' | 'key' | 'index' | 'storage' | 'member'>;

/**
 * Groups sessions and legacy keys by token: one target each. A legacy key without its session becomes a separate
 * target.
 */
export const toTargets = async (
  ctx: ReadContext,
  sessions: readonly SessionKey[],
  legacy: readonly LegacyKey[] = [],
): Promise<Target[]> => {
  const others = legacy.map((legacyKey) => sessionOfLegacy(ctx, legacyKey));
  const known = await readBeforehand(ctx, [...sessions, ...others]);
  const hasLegacy = storageOf(ctx).legacy !== null;
  const targets = new Map<string, Target & { legacyIds: Set<string> }>();
  const add = (part: SessionPart, owner: Buffer | null, other: Key | null, named: boolean): void => {
    const { userId, token, key, index, storage, member } = part;
    const id = keyId(key);
    const target = targets.get(id) ?? {
      userId,
      token,
      key,
      index,
      storage,
      member,
      owner,
      named,
      legacy: [],
      legacyIds: new Set(),
    };
    targets.set(id, target);
    if (other === null || target.legacyIds.has(keyId(other))) return;
    target.legacyIds.add(keyId(other));
    target.legacy.push(other);
  };
  sessions.forEach((session, i) => {
    const { userId, token } = session;
    const { name, owner } = known[i]!;
    const legacyKey = name === null || userId === null ? null : legacyKeyOf(ctx, userId, name, token);
    add(session, owner, legacyKey, name !== null || !hasLegacy);
  });
  legacy.forEach(({ key }, i) => {
    add(others[i]!, known[sessions.length + i]!.owner, key, true);
  });
  return [...targets.values()].map(({ legacyIds: _, ...target }) => target);
};

/** The targets with an existing key, and the unreadable ones. */
export const readExistingTargets = async (
  ctx: ReadContext,
  targets: readonly Target[],
): Promise<{ alive: Set<Target>; unknown: Set<Target> }> => {
  const placeOf = ({ storage, userId }: Target) => ({ storage, userId });
  const sessions = targets.map((target) => ({ key: target.key, target, ...placeOf(target) }));
  const legacy = targets.flatMap((target) => target.legacy.map((key) => ({ key, target })));
  const unreadable: { key: Key; target: Target }[] = [];
  const push = { push: (one: { key: Key }) => unreadable.push(one as { key: Key; target: Target }) };
  const existing = [
    ...(await readExistingSessions(ctx, sessions, push)),
    ...(await readExisting(ctx, legacy, push)),
  ];
  const alive = new Set(existing.map(({ target }) => target));
  const unknown = unreadable.map(({ target }) => target).filter((target) => !alive.has(target));
  return { alive, unknown: new Set(unknown) };
};

import 'server-only';
import { keyId } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import { textOf } from '@/lib/values/string-value';
import { entryOf } from '../index-entries';
import { type LegacyKey, legacyKeyOf, type SessionKey } from '../keys';
import { readExisting } from '../keyspace';
import type { VerificationKey } from '../tokens/keys';
import { FIELD_LIMITS } from '../view';
import type { revocationContracts } from './schema';

type RevokeBody = Input<typeof revocationContracts.revoke>;
export type Revoked = Pick<RevokeBody, 'handles' | 'userId' | 'filter' | 'also'>;

/** One session to end, with every key that contains its token. */
export interface Target {
  /** Null where the key is too damaged to name its user: it belongs to no index. */
  userId: string | null;
  token: Buffer;
  /** The session's key; it need not exist. */
  key: Key;
  index: Key | null;
  /** Legacy keys of the same token. */
  legacy: Key[];
  /** Whether the session has a name, from which its legacy key was computed. */
  named: boolean;
}

/** What is revoked together: one step of a scan through a scope. */
export interface ScopePart {
  targets: Target[];
  verifications: VerificationKey[];
}

/**
 * The name in a session's hash; null where the session does not exist, has no name, or one that a legacy key cannot
 * contain.
 */
const readNames = async (ctx: ReadContext, sessions: readonly SessionKey[]): Promise<(string | null)[]> => {
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
  const found = new Map(
    named.map((session, i) => [session, Buffer.isBuffer(names[i]) ? textOf(names[i]) : null]),
  );
  return sessions.map((session) => found.get(session) ?? null);
};

type SessionPart = Pick<Target, 'userId' | 'token' | 'key' | 'index'>;

/**
 * Groups sessions and legacy keys by token: one target each. A legacy key whose session is not among them is a target
 * of its own.
 */
export const toTargets = async (
  ctx: ReadContext,
  sessions: readonly SessionKey[],
  legacy: readonly LegacyKey[] = [],
): Promise<Target[]> => {
  const names = await readNames(ctx, sessions);
  const targets = new Map<string, Target & { legacyIds: Set<string> }>();
  const add = ({ userId, token, key, index }: SessionPart, other: Key | null, named: boolean): void => {
    const id = keyId(key);
    const target = targets.get(id) ?? { userId, token, key, index, legacy: [], legacyIds: new Set(), named };
    targets.set(id, target);
    if (other === null || target.legacyIds.has(keyId(other))) return;
    target.legacyIds.add(keyId(other));
    target.legacy.push(other);
  };
  sessions.forEach((session, i) => {
    const { userId, token } = session;
    const name = names[i] ?? null;
    const legacyKey = name === null || userId === null ? null : legacyKeyOf(ctx, userId, name, token);
    add(session, legacyKey, name !== null);
  });
  for (const { userId, token, key } of legacy) add(entryOf(ctx, userId, token), key, true);
  return [...targets.values()].map(({ legacyIds: _, ...target }) => target);
};

/** The targets of which any key exists, and those that could not be read. */
export const readExistingTargets = async (
  ctx: ReadContext,
  targets: readonly Target[],
): Promise<{ alive: Set<Target>; unknown: Set<Target> }> => {
  const keys = targets.flatMap((target) => [target.key, ...target.legacy].map((key) => ({ key, target })));
  const unreadable: typeof keys = [];
  const alive = new Set((await readExisting(ctx, keys, unreadable)).map(({ target }) => target));
  const unknown = unreadable.map(({ target }) => target).filter((target) => !alive.has(target));
  return { alive, unknown: new Set(unknown) };
};

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

/** One session to end: everything that carries its token. */
export interface Target {
  /** null where the key is too damaged to name its user: it belongs to no index. */
  userId: string | null;
  token: Buffer;
  /** The session's key; it need not exist. */
  key: Key;
  index: Key | null;
  /** Legacy keys of the same token. */
  legacy: Key[];
  /** Whether the session has a name of its own, by which its legacy key was looked for. */
  named: boolean;
}

/** What is revoked together: one step of a walk through a scope. */
export interface ScopePart {
  targets: Target[];
  verifications: VerificationKey[];
}

/** The name a session's hash has of its own; null where it is gone, has none, or none that a legacy key can hold. */
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
 * Sessions, and keys of the deprecated format, as what is ended together: one target a token. A legacy key whose
 * session is not among them is a target of its own.
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
    const twin = name === null || userId === null ? null : legacyKeyOf(ctx, userId, name, token);
    add(session, twin, name !== null);
  });
  for (const { userId, token, key } of legacy) add(entryOf(ctx, userId, token), key, true);
  return [...targets.values()].map(({ legacyIds: _, ...target }) => target);
};

/** Those of the targets of which anything exists now, and those of which nobody can say whether it does. */
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

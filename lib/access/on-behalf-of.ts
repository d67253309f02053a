import 'server-only';
import { type Actor, userOf } from '@/lib/actor';
import { env } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import type { Role } from '@/lib/permissions';
import type { Store } from '@/lib/redis/store';
import { findApiToken } from './api-tokens';
import { ensureSealed } from './seal-records';
import { currentEnvironmentOwner, roleOfToken } from './token-actor';
import { findUser } from './users';

/** Who requested work that happens later, as stored with that work. */
export interface Principal {
  kind: 'user' | 'token';
  id: string;
  name: string;
}

/** The user or token behind an actor; null for any other actor, whose access cannot be checked later. */
export const principalOf = (actor: Actor): Principal | null => {
  if (actor.kind === 'user') return { kind: 'user', id: actor.id, name: actor.email };
  if (actor.kind !== 'token') return null;
  // The configuration's token is identified by its digest, so replacing it also ends what it scheduled.
  const id = actor.id === 'environment' ? (actor.owner ?? actor.id) : actor.id;
  return { kind: 'token', id, name: `API token ${actor.name}` };
};

/**
 * The role a principal has now; null once the user or token, or the token's owner, was disabled, deleted, revoked or
 * expired. Throws the store's 503 `Problem`: then the work must not run.
 */
export const roleNow = async (store: Store, { kind, id }: Principal, now: number): Promise<Role | null> => {
  await ensureSealed(store);
  if (kind === 'user') {
    const user = await findUser(store, id);
    return user && !user.disabled ? user.role : null;
  }
  // Scheduled by a version that stored no digest.
  if (id === 'environment') return env().apiToken ? 'admin' : null;
  if (userOf(id) === null) return id === currentEnvironmentOwner() ? 'admin' : null;
  const token = await findApiToken(store, id);
  const user = token && userOf(token.owner);
  return token && roleOfToken(token, user ? await findUser(store, user) : null, now);
};

/**
 * Throws a 401 `Problem` if the actor was disabled, changed role or password, or lost its token since the request was
 * authenticated. Hashing a password takes long enough for that.
 */
export const requireUnchangedAccess = async (store: Store, actor: Actor): Promise<void> => {
  const principal = principalOf(actor);
  if (!principal) return;
  if (actor.kind === 'user') {
    const user = await findUser(store, actor.id);
    if (actor.epoch === undefined || (user?.epoch === actor.epoch && user.role === actor.role)) return;
  } else if ((await roleNow(store, principal, Date.now())) === actor.role) return;
  throw new Problem('unauthenticated', 'Your access ended during this request. Sign in again.');
};

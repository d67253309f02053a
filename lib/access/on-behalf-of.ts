import 'server-only';
import { type Actor, userOf } from '@/lib/actor';
import { env } from '@/lib/env';
import { Problem } from '@/lib/errors';
import type { Role } from '@/lib/permissions';
import type { Store } from '@/lib/redis/store';
import { findApiToken } from './api-tokens';
import { ensureSealed } from './seal-records';
import { currentEnvironmentOwner, roleOfToken } from './token-actor';
import { findUser } from './users';

/** Who asked for something that happens later, as it is kept with it. */
export interface Principal {
  kind: 'user' | 'token';
  id: string;
  name: string;
}

/** The user or token behind an actor; null for what is neither (nobody can be asked again). */
export const principalOf = (actor: Actor): Principal | null => {
  if (actor.kind === 'user') return { kind: 'user', id: actor.id, name: actor.email };
  if (actor.kind !== 'token') return null;
  // The configuration's token is known by its digest: what it planned ends with it too.
  const id = actor.id === 'environment' ? (actor.owner ?? actor.id) : actor.id;
  return { kind: 'token', id, name: `API token ${actor.name}` };
};

/**
 * The role somebody has now: null once disabled, deleted, revoked or expired, a token's owner too. Throws the store's 503 `Problem`:
 * then nothing may be done in their name.
 */
export const roleNow = async (store: Store, { kind, id }: Principal, now: number): Promise<Role | null> => {
  await ensureSealed(store);
  if (kind === 'user') {
    const user = await findUser(store, id);
    return user && !user.disabled ? user.role : null;
  }
  // Planned by a console from before the digest was kept.
  if (id === 'environment') return env().apiToken ? 'admin' : null;
  if (userOf(id) === null) return id === currentEnvironmentOwner() ? 'admin' : null;
  const token = await findApiToken(store, id);
  const user = token && userOf(token.owner);
  return token && roleOfToken(token, user ? await findUser(store, user) : null, now);
};

/**
 * Throws a 401 `Problem` for who was disabled, got another role or password, or whose token ended since they were let
 * in: hashing a password takes long enough for that.
 */
export const requireUnchangedAccess = async (store: Store, actor: Actor): Promise<void> => {
  const principal = principalOf(actor);
  if (!principal) return;
  if (actor.kind === 'user') {
    const user = await findUser(store, actor.id);
    if (actor.epoch === undefined || (user?.epoch === actor.epoch && user.role === actor.role)) return;
  } else if ((await roleNow(store, principal, Date.now())) === actor.role) return;
  throw new Problem('unauthenticated', 'Your access ended meanwhile.');
};

import 'server-only';
import { timingSafeEqual } from 'node:crypto';
import { type Actor, environmentOwner, userOf } from '@/lib/actor';
import { inBackground } from '@/lib/background';
import { env } from '@/lib/configuration';
import { digest } from '@/lib/keyring';
import { lowerRole, type Role } from '@/lib/permissions';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { store } from '@/lib/redis/store';
import {
  digestOf,
  findApiTokenByDigest,
  knownTokens,
  type StoredApiToken,
  touchApiToken,
} from './api-tokens';
import { ensureSealed } from './seal-records';
import { findUser, knownUsers, type StoredUser } from './users';

const SHAPE = /^kw_[A-Za-z0-9_-]{43}$/;

const isEnvironmentToken = (token: string): boolean => {
  const expected = env().apiToken;
  const same = timingSafeEqual(Buffer.from(digestOf(token)), Buffer.from(digestOf(expected ?? '')));
  return expected !== null && same;
};

/** The owner of tokens created with the configuration's token: replacing that token ends them. */
export const currentEnvironmentOwner = (): string | null => {
  const { apiToken } = env();
  return apiToken && environmentOwner(digest('record', `environment-token:${apiToken}`, 22));
};

/**
 * The role a token has now: never more than its owner's; null once it expired or its owner was disabled or deleted. A
 * token of an earlier version has no owner to check.
 */
export const roleOfToken = (token: StoredApiToken, owner: StoredUser | null, now: number): Role | null => {
  if (token.expiresAt !== null && now >= token.expiresAt) return null;
  if (userOf(token.owner)) return owner && !owner.disabled ? lowerRole(token.role, owner.role) : null;
  return token.owner === '' || token.owner === currentEnvironmentOwner() ? token.role : null;
};

const tokenActor = ({ id, name, owner }: StoredApiToken, role: Role | null): Actor | null =>
  role && { kind: 'token', id, name, role, ...(owner && { owner }) };

const fromMemory = (digestOfToken: string, now: number): Actor | null | undefined => {
  const token = knownTokens.get(digestOfToken);
  if (!token) return token;
  const user = userOf(token.owner);
  const owner = user ? knownUsers.get(user) : null;
  return owner === undefined ? undefined : tokenActor(token, roleOfToken(token, owner, now));
};

/**
 * The actor of a Bearer token; null where it is unknown, revoked or expired. While the store is unreachable, a token
 * this process verified before keeps its last known owner and role; any other throws the store's 503 `Problem`.
 */
export const actorOfApiToken = async (token: string, now: number): Promise<Actor | null> => {
  if (isEnvironmentToken(token)) {
    const owner = currentEnvironmentOwner()!;
    return { kind: 'token', id: 'environment', name: 'KEYWARD_API_TOKEN', role: 'admin', owner };
  }
  if (!SHAPE.test(token)) return null;
  try {
    await ensureSealed(store());
    const stored = await findApiTokenByDigest(store(), digestOf(token));
    if (!stored) return null;
    const user = userOf(stored.owner);
    const owner = user ? await findUser(store(), user) : null;
    const actor = tokenActor(stored, roleOfToken(stored, owner, now));
    if (actor) inBackground(touchApiToken(store(), stored, now));
    return actor;
  } catch (error) {
    const known = isStoreUnavailable(error) ? fromMemory(digestOf(token), now) : undefined;
    if (known === undefined) throw error;
    return known;
  }
};

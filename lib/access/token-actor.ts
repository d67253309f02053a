import 'server-only';
import { timingSafeEqual } from 'node:crypto';
import { type Actor, environmentOwner, userOf } from '@/lib/actor';
import { env } from '@/lib/env';
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

/** What the tokens made with the configuration's token have as owner: with another token they end. */
export const currentEnvironmentOwner = (): string | null => {
  const { apiToken } = env();
  return apiToken && environmentOwner(digest('record', `environment-token:${apiToken}`, 22));
};

/**
 * What a token may do now: never more than its owner, nothing once it expired or its owner is disabled or gone.
 * Of a token from before owners were kept nobody can be asked.
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
 * Who a Bearer token stands for; null when it holds no longer or never did. A token this process verified before
 * keeps working while the store is out of reach, as it and its owner were then; another one throws the store's 503
 * `Problem`.
 */
export const actorOfApiToken = async (token: string, now: number): Promise<Actor | null> => {
  if (isEnvironmentToken(token)) {
    const owner = currentEnvironmentOwner()!;
    return { kind: 'token', id: 'environment', name: 'KEYWARD_API_TOKEN', role: 'admin', owner };
  }
  if (!SHAPE.test(token)) return null;
  try {
    await ensureSealed(store());
    const found = await findApiTokenByDigest(store(), digestOf(token));
    if (!found) return null;
    const user = userOf(found.owner);
    const owner = user ? await findUser(store(), user) : null;
    const actor = tokenActor(found, roleOfToken(found, owner, now));
    if (actor) void touchApiToken(store(), found, now).catch(() => undefined);
    return actor;
  } catch (error) {
    const known = isStoreUnavailable(error) ? fromMemory(digestOf(token), now) : undefined;
    if (known === undefined) throw error;
    return known;
  }
};

import 'server-only';
import { parseCookie } from 'cookie';
import { decode, type JWT } from 'next-auth/jwt';
import type { Actor } from '@/lib/actor';
import { inBackground } from '@/lib/background';
import { env } from '@/lib/configuration';
import { isRole } from '@/lib/permissions';
import { processWide } from '@/lib/process-wide';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { isConfirmed } from './provider-check';
import { type SessionEnd, sessionEnd } from './provider-sessions';
import { ensureSealed } from './seal-records';
import { needsSecondFactor } from './second-factor/record';
import { findSession, knownSession, SESSION_MS, sessionDigest } from './session-records';
import { userActor } from './sign-in';
import { knownUsers, type StoredUser, touchUser } from './users';

/** The claims in the session cookie. The role is that of sign-in: only the stored one counts. */
export interface SessionClaims {
  id: string;
  email: string;
  name: string;
  role: StoredUser['role'];
  epoch: number;
  /** Epoch ms. */
  signedInAt: number;
  /** The id of the session's record. */
  session: string;
  /** Where it began, if that decides whether it goes on. */
  by?: 'oidc';
}

const SECRET_MISSING = 'NEXTAUTH_SECRET is not set: start the console with `npm start`.';

export const sessionSecret = (): string => {
  const secret = env().nextAuthSecret;
  if (!secret) throw new Error(SECRET_MISSING);
  return secret;
};

/** With `secure`, browsers send cookies only over https; set where the console is opened by https. */
export const usesSecureCookies = (): boolean => env().nextAuthUrl?.startsWith('https://') ?? false;

const sessionCookieName = (): string => `${usesSecureCookies() ? '__Secure-' : ''}next-auth.session-token`;

/** The session token: one cookie, or the chunks next-auth splits a long one into (`name.0`, `name.1` …). */
const sessionToken = (header: string | null): string | null => {
  const cookies = parseCookie(header ?? '');
  const name = sessionCookieName();
  if (cookies[name]) return cookies[name];
  let token = '';
  for (let i = 0; cookies[`${name}.${i}`]; i++) token += cookies[`${name}.${i}`];
  return token || null;
};

export const claimsOf = (jwt: JWT): SessionClaims | null => {
  const { sub, email, name, role, epoch, signedInAt, session, by } = jwt;
  if (typeof sub !== 'string' || typeof epoch !== 'number' || typeof signedInAt !== 'number') return null;
  if (typeof session !== 'string' || !isRole(role) || role === 'evaluator') return null;
  const claims = { id: sub, email: email ?? '', name: name ?? '', role, epoch, signedInAt, session };
  return by === 'oidc' ? { ...claims, by } : claims;
};

/** The claims in the session cookie; null when it is missing, forged, or too old. */
export const readSession = async (
  cookieHeader: string | null,
  now: number,
): Promise<SessionClaims | null> => {
  const token = sessionToken(cookieHeader);
  if (!token) return null;
  try {
    const jwt = await decode({ token, secret: sessionSecret() });
    const claims = jwt && claimsOf(jwt);
    return claims && now - claims.signedInAt < SESSION_MS ? claims : null;
  } catch (error) {
    if (error instanceof Error && error.message === SECRET_MISSING) throw error;
    return null;
  }
};

export const BACKOFF_MS = SECOND;
/** After a failure the store is not queried again for a moment. */
export const storeBackoff = processWide('store-quiet', () => ({ until: 0, because: null as unknown }));

/** A session without the second factor that the role needs has ended: the next sign-in sets one up. */
const actorFor = (claims: SessionClaims, user: StoredUser | null): Actor | null =>
  user && !user.disabled && user.epoch === claims.epoch && !needsSecondFactor(user)
    ? { ...userActor(user), session: sessionDigest(claims.session) }
    : null;

const fromMemory = (claims: SessionClaims): Actor | null => {
  const user = knownUsers.get(claims.id);
  if (knownSession(claims.session) === undefined || user === undefined) throw storeBackoff().because;
  return actorFor(claims, user);
};

/**
 * The actor of a session. Validity, role and name are read from the store at every request, so that changes take effect
 * immediately. While the store is unreachable the last known state counts; for a session or user this process does not
 * know, the store's 503 `Problem` is thrown.
 */
export const actorOfSession = async (claims: SessionClaims, now: number): Promise<Actor | null> => {
  if (knownSession(claims.session) === false) return null;
  if (now < storeBackoff().until) return fromMemory(claims);
  try {
    await ensureSealed(store());
    // Before the user is read, because the provider may give them another role.
    if (claims.by === 'oidc' && !(await isConfirmed(claims.session, now))) return null;
    const { id: user, epoch, signedInAt } = claims;
    const session = await findSession(store(), claims.session, { user, epoch, signedInAt });
    const actor = session.holds ? actorFor(claims, session.user) : null;
    if (actor && session.user) inBackground(touchUser(store(), session.user, now));
    return actor;
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
    storeBackoff.replace({ until: now + BACKOFF_MS, because: error });
    return fromMemory(claims);
  }
};

/** Why the provider's part ended the session of a cookie; null where it did not. Throws the store's 503 `Problem`. */
export const endOfSession = async (cookieHeader: string | null, now: number): Promise<SessionEnd | null> => {
  const claims = await readSession(cookieHeader, now);
  return claims?.by === 'oidc' ? sessionEnd(store(), claims.session) : null;
};

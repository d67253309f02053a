import 'server-only';
import { anonymous } from '@/lib/actor';
import { recordEvent, recordRefusal } from '@/lib/audit/record';
import type { OidcSettings } from '@/lib/configuration';
import { store } from '@/lib/redis/store';
import { type Claims, claimAt, hasTooManyGroups, type Identity, identityIn, roleOf } from './oidc-claims';
import {
  type Authority,
  createOutsideUser,
  findUserBySubject,
  followAuthority,
  REFUSALS,
  type Refusal,
} from './outside-users';
import { ensureSealed } from './seal-records';
import { MAX_SINGLE_FAILURES, userActor } from './sign-in';
import { findUser, findUserByEmail, type StoredUser, touchUser, updateUser } from './users';

/** How the audit log names what a provider decides. */
export const BY_PROVIDER = 'OpenID Connect';

/** The user of a subject; otherwise one of the same address, if the provider vouches for it. */
const findOrLink = async (identity: Identity): Promise<StoredUser | Refusal | null> => {
  const known = await findUserBySubject(store(), identity.subject);
  if (known) return known;
  const named = await findUserByEmail(store(), identity.email);
  if (!named) return null;
  return identity.isVerified && named.subject === null ? named : 'address-taken';
};

const userFor = async (
  claims: Claims,
  settings: OidcSettings,
  authority: Authority,
): Promise<StoredUser | Refusal> => {
  const identity = identityIn(claims);
  if (!identity) return 'no-identity';
  const role = roleOf(claims, settings);
  if (!role) return hasTooManyGroups(claims, settings.roleClaim) ? 'too-many-groups' : 'no-role';
  const found = await findOrLink(identity);
  if (typeof found === 'string') return found;
  const { subject, email, name } = identity;
  return found
    ? followAuthority(found, { role, name, subject }, authority)
    : createOutsideUser({ email, name, role, subject }, authority);
};

/**
 * The user of verified claims: created at the first sign-in, with the role of their groups now. Null where the console
 * lets nobody in; the audit log says why. Throws the store's 503 `Problem`.
 */
export const signInByClaims = async (
  claims: Claims,
  settings: OidcSettings,
  { address, requestId }: { address: string; requestId: string },
): Promise<StoredUser | null> => {
  await ensureSealed(store());
  const detail = `by ${new URL(settings.issuer).host}, from ${address}`;
  const found = await userFor(claims, settings, { name: BY_PROVIDER, detail });
  const event = { action: 'session.signIn', requestId };
  if (typeof found === 'string') {
    const target = identityIn(claims)?.email ?? null;
    const refusal = { ...event, actor: anonymous(), target, detail: `${REFUSALS[found]}, ${detail}` };
    await recordRefusal(refusal, MAX_SINGLE_FAILURES);
    return null;
  }
  await touchUser(store(), found, Date.now());
  await recordEvent({ ...event, actor: userActor(found), target: found.email, outcome: 'succeeded', detail });
  return found;
};

/**
 * Gives the user of a session the role that the provider states now. Returns why the session ends; null where it goes
 * on. Of a user without a role all sessions and API tokens end. Throws the store's 503 `Problem`.
 */
export const followClaims = async (
  user: StoredUser,
  claims: Claims,
  settings: OidcSettings,
  /** Whether missing groups mean that there are none. */
  isComplete: boolean,
): Promise<Refusal | null> => {
  const isSilent = !isComplete && claimAt(claims, settings.roleClaim) === undefined;
  const role = isSilent ? user.role : roleOf(claims, settings);
  if (!role) {
    if (hasTooManyGroups(claims, settings.roleClaim)) return 'too-many-groups';
    // The same hash counts as a new one, which ends sessions and API tokens.
    await updateUser(store(), user.id, { passwordHash: user.passwordHash });
    return 'no-role';
  }
  const name = identityIn(claims)?.name ?? user.name;
  const authority = { name: BY_PROVIDER, detail: `by ${new URL(settings.issuer).host}` };
  const followed = await followAuthority(user, { role, name, subject: user.subject }, authority);
  return typeof followed === 'string' ? followed : null;
};

/** The user of a session of this subject; null where the user is another's now. */
export const userOfSubject = async (id: string, subject: string): Promise<StoredUser | null> => {
  const user = await findUser(store(), id);
  return user?.subject === subject ? user : null;
};

import 'server-only';
import { anonymous, systemActor } from '@/lib/actor';
import { recordEvent, recordRefusal } from '@/lib/audit/record';
import type { OidcSettings } from '@/lib/configuration';
import { store } from '@/lib/redis/store';
import { type Claims, hasTooManyGroups, type Identity, identityIn, roleOf } from './oidc-claims';
import { ensureSealed } from './seal-records';
import { MAX_SINGLE_FAILURES, userActor } from './sign-in';
import { createUser, listUsers, type StoredUser, touchUser, type UserRole, updateUser } from './users';

/** Why a user whom the provider knows does not get in. */
type Reason =
  | 'no-identity'
  | 'no-role'
  | 'too-many-groups'
  | 'address-taken'
  | 'disabled'
  | 'last-admin'
  | 'refused-record';

const WORDS: Record<Reason, string> = {
  'no-identity': 'the provider names no subject or e-mail address',
  'no-role': 'no group has a role here',
  'too-many-groups': 'the provider left the groups out, because there are too many: use application roles',
  'address-taken': 'another account has this address, and the provider does not vouch for it',
  disabled: 'the user is disabled',
  'last-admin': 'the role would leave no admin',
  'refused-record': 'the user was changed outside Keyward',
};

/** The user of a subject; otherwise one of the same address, if the provider vouches for it. */
const findOrLink = async (identity: Identity): Promise<StoredUser | Reason | null> => {
  const users = await listUsers(store());
  const known = users.find(({ subject }) => subject === identity.subject);
  if (known) return known.changedOutside ? 'refused-record' : known;
  const named = users.find(({ email }) => email === identity.email);
  if (!named) return null;
  if (named.changedOutside) return 'refused-record';
  return identity.isVerified && named.subject === null ? named : 'address-taken';
};

const create = async (identity: Identity, role: UserRole, detail: string): Promise<StoredUser | Reason> => {
  const { subject, email, name } = identity;
  const created = await createUser(
    store(),
    { email, name, role, passwordHash: '', subject },
    { now: Date.now() },
  );
  if (!created.ok) return 'address-taken';
  const actor = systemActor('OpenID Connect');
  await recordEvent({
    actor,
    action: 'users.create',
    target: email,
    outcome: 'succeeded',
    detail: `${role}, ${detail}`,
  });
  return created.user;
};

/** Gives a user the role and name that the provider says now. */
const follow = async (
  user: StoredUser,
  { subject, name }: Identity,
  role: UserRole,
  detail: string,
): Promise<StoredUser | Reason> => {
  if (user.disabled) return 'disabled';
  if (user.role === role && user.name === name && user.subject === subject) return user;
  const updated = await updateUser(store(), user.id, { role, name, subject });
  if (!updated.ok) return updated.reason === 'last-admin' ? 'last-admin' : 'refused-record';
  const change = user.role === role ? '' : `${user.role} → ${role}, `;
  const actor = systemActor('OpenID Connect');
  await recordEvent({
    actor,
    action: 'users.update',
    target: user.email,
    outcome: 'succeeded',
    detail: change + detail,
  });
  return updated.after;
};

const userFor = async (
  claims: Claims,
  settings: OidcSettings,
  detail: string,
): Promise<StoredUser | Reason> => {
  const identity = identityIn(claims);
  if (!identity) return 'no-identity';
  const role = roleOf(claims, settings);
  if (!role) return hasTooManyGroups(claims, settings.roleClaim) ? 'too-many-groups' : 'no-role';
  const found = await findOrLink(identity);
  if (typeof found === 'string') return found;
  return found ? follow(found, identity, role, detail) : create(identity, role, detail);
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
  const found = await userFor(claims, settings, detail);
  const event = { action: 'session.signIn', requestId };
  if (typeof found === 'string') {
    const target = identityIn(claims)?.email ?? null;
    const refusal = { ...event, actor: anonymous(), target, detail: `${WORDS[found]}, ${detail}` };
    await recordRefusal(refusal, MAX_SINGLE_FAILURES);
    return null;
  }
  await touchUser(store(), found, Date.now());
  await recordEvent({ ...event, actor: userActor(found), target: found.email, outcome: 'succeeded', detail });
  return found;
};

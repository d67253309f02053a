import 'server-only';
import { z } from 'zod';
import { type Actor, anonymous } from '@/lib/actor';
import { recordEvent, recordRefusal } from '@/lib/audit/record';
import { inBackground } from '@/lib/background';
import { env, type HeaderSettings } from '@/lib/configuration';
import { log } from '@/lib/log';
import { processWide } from '@/lib/process-wide';
import { isStoreUnavailable } from '@/lib/redis/failure';
import { store } from '@/lib/redis/store';
import { SingleFlight } from '@/lib/single-flight';
import { HOUR } from '@/lib/time';
import { lastKnown } from './last-known';
import { roleOfGroups } from './oidc-claims';
import { createOutsideUser, followAuthority, REFUSALS, type Refusal } from './outside-users';
import { clientAddress, isFromTrustedProxy } from './peer';
import { ensureSealed } from './seal-records';
import { MAX_SINGLE_FAILURES, userActor } from './sign-in';
import { BACKOFF_MS, storeBackoff } from './user-sessions';
import { findUserByEmail, knownUsers, type StoredUser, touchUser } from './users';

const BY_HEADER = 'Trusted header';
/** The first request after such a pause is a sign-in for the audit log. */
const SIGN_IN_MS = 8 * HOUR;
const MAX_GROUPS_BYTES = 16 * 1024;

const address = z.email().max(254);

/** Whom a trusted proxy names. */
export interface HeaderUser {
  /** Lower-cased; null for a value that is no e-mail address. */
  email: string | null;
  groups: readonly string[];
}

const untrusted = processWide('header-of-untrusted', () => ({ isLogged: false }));

const logUntrusted = ({ user }: HeaderSettings): void => {
  if (untrusted().isLogged) return;
  untrusted().isLogged = true;
  log('warn', `The header ${user} of an address that KEYWARD_TRUSTED_PROXIES does not list is ignored.`);
};

/** Groups are separated by commas only, because names have blanks in them. */
const groupsIn = (value: string): string[] =>
  value.length > MAX_GROUPS_BYTES
    ? []
    : value
        .split(',')
        .map((group) => group.trim())
        .filter((group) => group !== '');

/** Whom the proxy names that sent this request; null without such a header, and for everybody else's. */
export const headerUser = (headers: Headers): HeaderUser | null => {
  const { header } = env();
  const value = header && headers.get(header.user)?.trim();
  if (!header || !value) return null;
  if (!isFromTrustedProxy(headers)) {
    logUntrusted(header);
    return null;
  }
  const email = address.safeParse(value).data?.toLowerCase() ?? null;
  return { email, groups: header.groups ? groupsIn(headers.get(header.groups) ?? '') : [] };
};

const signIn = async (
  { email, groups }: HeaderUser,
  settings: HeaderSettings,
  from: string,
): Promise<StoredUser | Refusal> => {
  if (email === null) return 'no-identity';
  await ensureSealed(store());
  const authority = { name: BY_HEADER, detail: `by ${settings.user}, from ${from}` };
  const user = await findUserByEmail(store(), email);
  if (user?.disabled) return 'disabled';
  // Without groups the proxy decides who comes in, and admins about roles.
  if (user && settings.groups === null) return user;
  const role = roleOfGroups(groups, settings);
  if (!role) return 'no-role';
  if (user) return followAuthority(user, { role, name: user.name, subject: user.subject }, authority);
  // The subject tells that this account never had a password: an invited user has neither.
  const outside = { email, name: email.split('@')[0]!, role, subject: `header ${email}` };
  const created = await createOutsideUser(outside, authority);
  // Another process may have created the user meanwhile.
  return created === 'address-taken' ? ((await findUserByEmail(store(), email)) ?? created) : created;
};

/** Requests whose groups were followed. A stream repeats what its header stated when it was opened. */
const followed = new WeakSet<Headers>();

/** The user of a request that was signed in before, as stored now. */
const stillUser = async ({ email }: HeaderUser): Promise<StoredUser | Refusal> => {
  const user = email === null ? null : await findUserByEmail(store(), email);
  if (!user) return 'refused-record';
  return user.disabled ? 'disabled' : user;
};

const recordSignIn = async (user: StoredUser, now: number, from: string): Promise<void> => {
  if (user.lastSeenAt !== null && now - user.lastSeenAt < SIGN_IN_MS)
    return inBackground(touchUser(store(), user, now));
  await touchUser(store(), user, now);
  const event = { actor: userActor(user), action: 'session.signIn', target: user.email };
  await recordEvent({ ...event, outcome: 'succeeded', detail: `by a trusted proxy, from ${from}` });
};

/** One request for each user and their groups at a time, so that the first page creates the user once. */
const flights = processWide('header-sign-ins', () => new SingleFlight<StoredUser | Refusal>());
/** The ids of users by their address, for while the store is unreachable. */
const knownIds = lastKnown<string>('header-users');

const fromMemory = (email: string | null): Actor | null | undefined => {
  const user = knownUsers.get(knownIds.get(email ?? '') ?? '');
  return user && (user.disabled ? null : userActor(user));
};

/**
 * The actor whom a trusted proxy names: each request is authenticated by its header, and has no session. The first one
 * creates the user, and the role follows the groups. Null for a user who is refused; the audit log says why. While the
 * store is unreachable the last known role counts; for users this process does not know, the store's 503 `Problem` is
 * thrown.
 */
export const actorOfHeader = async (
  named: HeaderUser,
  headers: Headers,
  now: number,
): Promise<Actor | null> => {
  const { header } = env();
  if (!header) return null;
  const from = clientAddress(headers);
  try {
    if (now < storeBackoff().until) throw storeBackoff().because;
    const flight = JSON.stringify([named.email, named.groups]);
    const user = followed.has(headers)
      ? await stillUser(named)
      : await flights().run(flight, () => signIn(named, header, from));
    if (typeof user === 'string') {
      const event = { actor: anonymous(), action: 'session.signIn', target: named.email };
      await recordRefusal({ ...event, detail: `${REFUSALS[user]}, from ${from}` }, MAX_SINGLE_FAILURES);
      return null;
    }
    followed.add(headers);
    knownIds.set(user.email, user.id);
    knownUsers.set(user.id, user);
    await recordSignIn(user, now, from);
    return userActor(user);
  } catch (error) {
    const isDown = isStoreUnavailable(error);
    if (isDown && now >= storeBackoff().until)
      storeBackoff.replace({ until: now + BACKOFF_MS, because: error });
    const known = isDown ? fromMemory(named.email) : undefined;
    if (known === undefined) throw error;
    return known;
  }
};

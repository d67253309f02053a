import 'server-only';
import { z } from 'zod';
import { type Actor, anonymous } from '@/lib/actor';
import { recordEvent, recordRefusal } from '@/lib/audit/record';
import { env } from '@/lib/configuration';
import { store } from '@/lib/redis/store';
import { knownDevice } from './device';
import { verifyPassword } from './passwords';
import { ensureSealed } from './seal-records';
import type { FactorNeeded, GivenFactor } from './second-factor/schema';
import { secondStep } from './second-factor/second-step';
import { ensureConfiguredAdmin } from './setup';
import { deviceBucket, refundAttempt, strangerBuckets, takeAttempt } from './throttle';
import { findUserByEmail, type StoredUser, touchUser } from './users';

export interface Credentials {
  email: string;
  password: string;
  /** The client's address, for throttling and the audit log. */
  address: string;
  device?: string | null;
  requestId?: string | null;
  /** The second step: the second factor, or the code that confirms a new one. */
  factor?: GivenFactor | null;
  /** The token of a new second factor that `factor` confirms. */
  setUp?: string | null;
}

export type SignIn =
  | { ok: true; user: StoredUser; gaveFactor: boolean }
  | { ok: false; reason: 'refused' }
  | { ok: false; reason: 'second-factor'; needed: FactorNeeded }
  | { ok: false; reason: 'throttled'; retryAfterSeconds: number };

const MAX_EMAIL = 254;
/** Failed sign-ins per minute with an audit entry each; the others are counted. */
export const MAX_SINGLE_FAILURES = 20;
const emailAddress = z.email().max(MAX_EMAIL);

export const userActor = (user: StoredUser): Extract<Actor, { kind: 'user' }> => ({
  kind: 'user',
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  epoch: user.epoch,
});

/** The part of the e-mail field that may enter the audit log, because people type passwords into the wrong field. */
const auditTarget = (email: string): string =>
  emailAddress.safeParse(email).success ? email : '(not an e-mail address)';

/** Whether an account may sign in with a password. */
export const mayUsePassword = (email: string): boolean => {
  const { localAccounts, admin } = env();
  return localAccounts === 'all' || email === admin?.email.toLowerCase();
};

const whyRefused = (user: StoredUser | null, matches: boolean): string => {
  if (!user) return 'there is no such user';
  if (!mayUsePassword(user.email)) return 'this account signs in at the provider';
  return matches ? 'the user is disabled' : 'wrong password';
};

/**
 * Signs a user in. An unknown user, a wrong password and a disabled user get the same answer after the same work.
 * Throttled (throttle.ts). Throws the store's 503 `Problem`.
 */
export const signIn = async (credentials: Credentials, now = Date.now()): Promise<SignIn> => {
  const email = credentials.email.trim().toLowerCase().slice(0, MAX_EMAIL);
  const { address, requestId, device = null } = credentials;
  const known = await knownDevice(store(), device, email, now);
  const buckets = known ? [deviceBucket(known)] : strangerBuckets(email, address);
  const retryAfterSeconds = await takeAttempt(store(), buckets, now);
  const refused = (why: string) => {
    const event = { actor: anonymous(), action: 'session.signIn', target: auditTarget(email), requestId };
    return recordRefusal({ ...event, detail: `${why}, from ${address}` }, MAX_SINGLE_FAILURES);
  };
  if (retryAfterSeconds > 0) {
    await refused('throttled');
    return { ok: false, reason: 'throttled', retryAfterSeconds };
  }

  await ensureSealed(store());
  await ensureConfiguredAdmin();
  const user = await findUserByEmail(store(), email);
  const matches = await verifyPassword(user?.passwordHash ?? null, credentials.password);
  if (!user || !matches || user.disabled || !mayUsePassword(email)) {
    await refused(whyRefused(user, matches));
    return { ok: false, reason: 'refused' };
  }
  await refundAttempt(store(), buckets);
  const second = await secondStep(store(), user, credentials, now);
  if (!second.ok) {
    if (second.reason === 'throttled') await refused('second factor throttled');
    else if (second.needed.isWrong) await refused('wrong second factor');
    return second;
  }
  await touchUser(store(), user, now);
  const actor = userActor(user);
  const detail = `from ${address}`;
  await recordEvent({
    actor,
    action: 'session.signIn',
    target: user.email,
    outcome: 'succeeded',
    detail,
    requestId,
  });
  return { ok: true, user, gaveFactor: second.gaveFactor };
};

import 'server-only';
import { z } from 'zod';
import { type Actor, anonymous } from '@/lib/actor';
import { recordEvent } from '@/lib/audit/record';
import { store } from '@/lib/redis/store';
import { verifyPassword } from './passwords';
import { ensureSealed } from './seal-records';
import { ensureConfiguredAdmin } from './setup';
import { accountBucket, addressBucket, returnAttempt, takeAttempt } from './throttle';
import { findUserByEmail, type StoredUser, touchUser } from './users';

export interface Credentials {
  email: string;
  password: string;
  /** The client's address, for throttling and the audit log. */
  address: string;
  requestId?: string | null;
}

export type SignIn =
  | { ok: true; user: StoredUser }
  | { ok: false; reason: 'refused' }
  | { ok: false; reason: 'throttled'; retryAfterSeconds: number };

const MAX_EMAIL = 254;
const emailAddress = z.email().max(MAX_EMAIL);

export const userActor = (user: StoredUser): Actor => ({
  kind: 'user',
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
});

/** What the audit log may keep of the e-mail field: people type passwords into the wrong one. */
const auditTarget = (email: string): string =>
  emailAddress.safeParse(email).success ? email : '(not an e-mail address)';

const whyRefused = (user: StoredUser | null, matches: boolean): string => {
  if (!user) return 'there is no such user';
  return matches ? 'the user is disabled' : 'wrong password';
};

/**
 * Signs a person in. An unknown user, a wrong password and a disabled user get the same answer after the same
 * work. Throttled per account and per address. Throws the store's 503 `Problem`.
 */
export const signIn = async (credentials: Credentials): Promise<SignIn> => {
  const email = credentials.email.trim().toLowerCase().slice(0, MAX_EMAIL);
  const { address, requestId } = credentials;
  const now = Date.now();
  const buckets = [accountBucket(email), addressBucket(address)];
  const retryAfterSeconds = await takeAttempt(store(), buckets, now);
  if (retryAfterSeconds > 0) return { ok: false, reason: 'throttled', retryAfterSeconds };

  await ensureSealed(store());
  await ensureConfiguredAdmin();
  const user = await findUserByEmail(store(), email);
  const matches = await verifyPassword(user?.passwordHash ?? null, credentials.password);
  if (!user || !matches || user.disabled) {
    await recordEvent({
      actor: anonymous(),
      action: 'session.signIn',
      target: auditTarget(email),
      outcome: 'failed',
      detail: `${whyRefused(user, matches)}, from ${address}`,
      requestId,
    });
    return { ok: false, reason: 'refused' };
  }
  await returnAttempt(store(), buckets);
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
  return { ok: true, user };
};

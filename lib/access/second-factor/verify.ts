import 'server-only';
import type { Store } from '@/lib/redis/store';
import { refundAttempt, secondFactorBucket, takeAttempt } from '../throttle';
import type { StoredUser } from '../users';
import { passkeyToUse, usedPasskey } from './passkeys';
import { changeSecondFactor, secondFactorOf } from './record';
import { recoveryDigest } from './recovery-codes';
import type { FactorChoices, GivenFactor } from './schema';
import { isTotpCode, plainCode } from './totp';

/** How a user can give their second factor. */
export const factorChoices = async (user: StoredUser, now: number): Promise<FactorChoices> => {
  const { totp, recoveryCodes, passkeys } = secondFactorOf(user);
  return {
    code: totp !== null || recoveryCodes.length > 0,
    passkey: await passkeyToUse(user, passkeys, now),
  };
};

const spendRecoveryCode = async (store: Store, { id }: StoredUser, code: string): Promise<boolean> => {
  const digest = recoveryDigest(id, code);
  const updated = await changeSecondFactor(store, id, (factor) => {
    const left = factor.recoveryCodes.filter((stored) => stored !== digest);
    return left.length < factor.recoveryCodes.length ? { ...factor, recoveryCodes: left } : null;
  });
  return updated?.ok ?? false;
};

const verifyPasskey = async (
  store: Store,
  user: StoredUser,
  given: Extract<GivenFactor, { token: string }>,
  now: number,
): Promise<boolean> => {
  const { passkeys } = secondFactorOf(user);
  const used = await usedPasskey(store, user, passkeys, given, now);
  if (!used) return false;
  // Most authenticators of platforms do not count.
  if (used.counter === 0) return true;
  const updated = await changeSecondFactor(store, user.id, (factor) => ({
    ...factor,
    passkeys: factor.passkeys.map((passkey) => (passkey.id === used.id ? used : passkey)),
  }));
  return updated?.ok ?? false;
};

const isRight = async (store: Store, user: StoredUser, given: GivenFactor, now: number): Promise<boolean> => {
  if ('token' in given) return verifyPasskey(store, user, given, now);
  const code = plainCode(given.code);
  const { totp } = secondFactorOf(user);
  if (/^\d{6}$/.test(code)) return totp !== null && isTotpCode(store, user, totp, code, now);
  return spendRecoveryCode(store, user, code);
};

/**
 * Checks what somebody gives as the second factor of a user. A code, a recovery code and a challenge work once. `wait`:
 * seconds until the next attempt may be made; 0 after a wrong one. Throws the store's 503 `Problem`.
 */
export const checkSecondFactor = async (
  store: Store,
  user: StoredUser,
  given: GivenFactor,
  now: number,
): Promise<{ ok: true } | { ok: false; wait: number }> => {
  const buckets = [secondFactorBucket(user.id)];
  const wait = await takeAttempt(store, buckets, now);
  if (wait > 0) return { ok: false, wait };
  if (!(await isRight(store, user, given, now))) return { ok: false, wait: 0 };
  await refundAttempt(store, buckets);
  return { ok: true };
};

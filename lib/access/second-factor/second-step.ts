import 'server-only';
import type { Store } from '@/lib/redis/store';
import type { StoredUser } from '../users';
import { changeSecondFactor, hasSecondFactor, needsSecondFactor } from './record';
import type { FactorNeeded, GivenFactor } from './schema';
import { isTotpCode, newTotp, newTotpSecret, plainCode } from './totp';
import { checkSecondFactor, factorChoices } from './verify';

type SecondStep =
  | { ok: true; gaveFactor: boolean }
  | { ok: false; reason: 'second-factor'; needed: FactorNeeded }
  | { ok: false; reason: 'throttled'; retryAfterSeconds: number };

interface Given {
  factor?: GivenFactor | null;
  setUp?: string | null;
}

const asked = async (user: StoredUser, isWrong: boolean, now: number): Promise<SecondStep> => ({
  ok: false,
  reason: 'second-factor',
  needed: { choices: await factorChoices(user, now), setUp: null, isWrong },
});

/** Stores an authenticator app once a code confirms it. Returns whether it did. */
export const confirmTotp = async (
  store: Store,
  user: StoredUser,
  { token, code }: { token: string; code: string },
  now: number,
): Promise<boolean> => {
  const secret = newTotpSecret(token, user.id, now);
  if (secret === null || !(await isTotpCode(store, user, secret, plainCode(code), now))) return false;
  const updated = await changeSecondFactor(store, user.id, (factor) => ({ ...factor, totp: secret }));
  return updated?.ok ?? false;
};

const setUpStep = async (
  store: Store,
  user: StoredUser,
  { factor, setUp }: Given,
  now: number,
): Promise<SecondStep> => {
  const begun = typeof setUp === 'string' && newTotpSecret(setUp, user.id, now) !== null;
  if (begun && factor && 'code' in factor) {
    if (await confirmTotp(store, user, { token: setUp, code: factor.code }, now))
      return { ok: true, gaveFactor: true };
    return { ok: false, reason: 'second-factor', needed: { choices: null, setUp: null, isWrong: true } };
  }
  const needed = { choices: null, setUp: newTotp(user, now), isWrong: false };
  return { ok: false, reason: 'second-factor', needed };
};

/**
 * The second step of a sign-in with the right password: the second factor of a user who has one, or setting one up where
 * the role needs it. Throws the store's 503 `Problem`.
 */
export const secondStep = async (
  store: Store,
  user: StoredUser,
  given: Given,
  now: number,
): Promise<SecondStep> => {
  if (needsSecondFactor(user)) return setUpStep(store, user, given, now);
  if (!hasSecondFactor(user)) return { ok: true, gaveFactor: false };
  if (!given.factor) return asked(user, false, now);
  const checked = await checkSecondFactor(store, user, given.factor, now);
  if (checked.ok) return { ok: true, gaveFactor: true };
  if (checked.wait > 0) return { ok: false, reason: 'throttled', retryAfterSeconds: checked.wait };
  return asked(user, true, now);
};

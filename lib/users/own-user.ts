import 'server-only';
import { verifyPassword } from '@/lib/access/passwords';
import { passwordBucket, refundAttempt, takeAttempt } from '@/lib/access/throttle';
import { findUser, type StoredUser, type UserUpdate } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import type { ConsoleContext } from '@/lib/command/context';
import { badField, notFound, Problem, throttled } from '@/lib/errors';
import { notUpdated } from './recorded';

/** The signed-in user who changes their own account. */
export const ownUser = (actor: Actor): Extract<Actor, { kind: 'user' }> => {
  if (actor.kind === 'user') return actor;
  throw new Problem('forbidden', 'An API token has no password and no sessions. Sign in as a user.');
};

/** The record of the signed-in user. */
export const ownRecord = async ({ store, actor }: ConsoleContext): Promise<StoredUser> => {
  const user = await findUser(store, ownUser(actor).id);
  if (!user) throw notFound('Your account');
  return user;
};

export const tooManyWrong = (what: string, seconds: number): Problem =>
  throttled(`Too many wrong ${what}. Try again in ${seconds} s.`, seconds);

/** Counts an attempt to give the own password; 429 for too many. */
export const admitPassword = async ({ store, actor, now }: ConsoleContext): Promise<void> => {
  const wait = await takeAttempt(store, [passwordBucket(ownUser(actor).id)], now());
  if (wait > 0) throw tooManyWrong('passwords', wait);
};

/** Throws 400 at `path` for a wrong password; a right one clears the attempts. */
export const requireOwnPassword = async (
  { store, actor }: ConsoleContext,
  password: string,
  path: string,
): Promise<void> => {
  const user = await findUser(store, ownUser(actor).id);
  if (!(await verifyPassword(user?.passwordHash ?? null, password)))
    throw badField(path, 'This is not your current password.');
  await refundAttempt(store, [passwordBucket(ownUser(actor).id)]);
};

/** The user as changed. Throws the refusal of a change that was not made. */
export const updated = (update: UserUpdate, who: string): Extract<UserUpdate, { ok: true }> => {
  if (update.ok) return update;
  throw notUpdated(update.reason, who);
};

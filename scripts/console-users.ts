// The work of `npm run user`, bundled for plain Node.
import { findUserByEmail } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import { runCommand } from '@/lib/command/run';
import { notFound } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { closeStore, store } from '@/lib/redis/store';
import { createConsoleUser, updateConsoleUser } from '@/lib/users/commands';
import { createUserLink, inviteUser } from '@/lib/users/invitations/commands';
import { resetSecondFactor } from '@/lib/users/second-factor/commands';

type Created = Parameters<typeof createConsoleUser.run>[1];
type Role = Created['role'];

/** Whoever runs this has the store's secrets, which is more than any role allows. */
const ACTOR: Actor = { kind: 'system', id: 'system', name: 'keyward user', role: 'admin' };

const call = (raw: unknown) => ({ actor: ACTOR, requestId: newId(), connection: null, raw });

/** Creates a user and a link that sets the password, with an audit entry. Throws a `Problem`. */
export const inviteByLink = (input: Omit<Created, 'reason' | 'password'>) =>
  runCommand(inviteUser, call({ ...input, reason: 'keyward user add' }));

/** Creates a user, with an audit entry. Throws a `Problem`. */
export const addUser = async (input: Omit<Created, 'reason'>) => {
  const { user } = await runCommand(createConsoleUser, call({ ...input, reason: 'keyward user add' }));
  return user;
};

const find = async (email: string) => {
  const user = await findUserByEmail(store(), email);
  if (!user) throw notFound(`A user with the address ${email}`);
  return user;
};

const RESET = 'keyward user reset';

/** Enables an account, removes its second factor, ends its sessions, and replaces its role and password where given. */
const open = async (id: string, given: { role?: Role | undefined; password?: string }) => {
  const change = { id, ...given, disabled: false, signOutEverywhere: true, reason: RESET };
  const done = await runCommand(updateConsoleUser, call(change));
  if (done.user.secondFactor) await runCommand(resetSecondFactor, call({ id, reason: RESET }));
  return done;
};

/** A new password for whoever cannot sign in. API tokens end. Throws a `Problem`. */
export const resetUser = async (email: string, password: string, role: Role | undefined) =>
  open((await find(email)).id, { password, role });

/** A link that sets a new password, for whoever cannot sign in. Throws a `Problem`. */
export const resetByLink = async (email: string, role: Role | undefined) => {
  const { id } = await find(email);
  await open(id, { role });
  return runCommand(createUserLink, call({ id, reason: RESET }));
};

export { closeStore };

// The work of `npm run user`, bundled for plain Node.
import { findUserByEmail } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import { runCommand } from '@/lib/command/run';
import { notFound } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { closeStore, store } from '@/lib/redis/store';
import { createConsoleUser, updateConsoleUser } from '@/lib/users/commands';
import { resetSecondFactor } from '@/lib/users/second-factor/commands';

type Created = Parameters<typeof createConsoleUser.run>[1];
type Role = Created['role'];

/** Whoever runs this has the store's secrets, which is more than any role allows. */
const ACTOR: Actor = { kind: 'system', id: 'system', name: 'keyward user', role: 'admin' };

const call = (raw: unknown) => ({ actor: ACTOR, requestId: newId(), connection: null, raw });

/** Creates a user, with an audit entry. Throws a `Problem`. */
export const addUser = async (input: Omit<Created, 'reason'>) => {
  const { user } = await runCommand(createConsoleUser, call({ ...input, reason: 'keyward user add' }));
  return user;
};

/**
 * A new password for whoever cannot sign in: the account is enabled, its second factor is removed, its sessions and API
 * tokens end. `role` replaces its role. Throws a `Problem`.
 */
export const resetUser = async (email: string, password: string, role: Role | undefined) => {
  const found = await findUserByEmail(store(), email);
  if (!found) throw notFound(`A user with the address ${email}`);
  const change = { id: found.id, password, disabled: false, signOutEverywhere: true, ...(role && { role }) };
  const { user, tokensEnded } = await runCommand(
    updateConsoleUser,
    call({ ...change, reason: 'keyward user reset' }),
  );
  if (user.secondFactor)
    await runCommand(resetSecondFactor, call({ id: found.id, reason: 'keyward user reset' }));
  return { user, tokensEnded };
};

export { closeStore };

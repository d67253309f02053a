import 'server-only';
import { findUser, type StoredUser, type UserUpdate } from '@/lib/access/users';
import type { ConsoleContext } from '@/lib/command/context';
import { notFound, Problem } from '@/lib/errors';

/** The target of a change of a user: their e-mail address, or the id of a user who does not exist. */
export const userTarget = async ({ id }: { id: string }, { store }: ConsoleContext): Promise<string> =>
  (await findUser(store, id))?.email ?? id;

/** A user in an audit entry. */
export const snapshot = ({ email, name, role, disabled, epoch }: StoredUser) => ({
  email,
  name,
  role,
  disabled,
  epoch,
});

/** A change of a user in an audit entry. */
export const recorded = ({ before, after, tokensEnded }: Extract<UserUpdate, { ok: true }>) => ({
  before: snapshot(before),
  after: { ...snapshot(after), ...(tokensEnded > 0 && { tokensEnded }) },
});

export const taken = () =>
  new Problem('conflict', 'A user with this e-mail address already exists.', {
    extensions: { errors: [{ path: 'email', message: 'This address is taken.' }] },
  });
const lastAdmin = () =>
  new Problem('conflict', 'This is the last admin who can sign in. Make another user an admin first.');

export const notUpdated = (reason: Extract<UserUpdate, { ok: false }>['reason'], who: string): Problem => {
  if (reason === 'last-admin') return lastAdmin();
  if (reason === 'not-found') return notFound(who);
  if (reason === 'changed') return new Problem('conflict', `${who} was changed meanwhile. Try again.`);
  return new Problem(
    'conflict',
    'This user was changed outside Keyward and is refused. Disable the user first: that removes role, password, sessions and API tokens.',
  );
};

import 'server-only';
import { createHash } from 'node:crypto';
import { systemActor } from '@/lib/actor';
import { recordEvent } from '@/lib/audit/record';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { type Store, store } from '@/lib/redis/store';
import {
  createUser,
  findUser,
  findUserByEmail,
  listUsers,
  type NewUser,
  type StoredUser,
  type UserRole,
  updateUser,
} from './users';

/** Why a user whom a provider or a proxy knows does not get in. */
export type Refusal =
  | 'no-identity'
  | 'no-role'
  | 'too-many-groups'
  | 'address-taken'
  | 'disabled'
  | 'last-admin'
  | 'refused-record';

/** For the audit log. */
export const REFUSALS: Record<Refusal, string> = {
  'no-identity': 'no subject or e-mail address is named',
  'no-role': 'no group has a role here',
  'too-many-groups': 'the provider left the groups out, because there are too many: use application roles',
  'address-taken': 'another account has this address, and the provider does not vouch for it',
  disabled: 'the user is disabled',
  'last-admin': 'the role would leave no admin',
  'refused-record': 'the user was changed outside Keyward',
};

/** Who decides about users in the place of this console's admins. */
export interface Authority {
  /** As the audit log names it. */
  name: string;
  /** Which provider or proxy, and the client's address. */
  detail: string;
}

const subjectKey = (subject: string): Buffer =>
  consoleFamilies.userSubject.key({ digest: createHash('sha256').update(subject).digest('base64url') });

const rememberSubject = (store: Store, subject: string, id: string): Promise<unknown> =>
  store.use((redis) => redis.set(subjectKey(subject), id));

/**
 * The user of a subject. Nothing authenticates the index, so the record must confirm the subject; where it does not, all
 * users are read.
 */
export const findUserBySubject = async (
  store: Store,
  subject: string,
): Promise<StoredUser | 'refused-record' | null> => {
  const id = await store.use((redis) => redis.get(subjectKey(subject)));
  const indexed = id && /^[\w-]{1,128}$/.test(id) ? await findUser(store, id) : null;
  if (indexed?.subject === subject) return indexed;
  const known = (await listUsers(store)).find((user) => user.subject === subject);
  if (!known) return null;
  if (known.changedOutside) return 'refused-record';
  await rememberSubject(store, subject, known.id);
  return known;
};

export const createOutsideUser = async (
  user: Omit<NewUser, 'passwordHash'>,
  { name, detail }: Authority,
): Promise<StoredUser | Refusal> => {
  const created = await createUser(store(), { ...user, passwordHash: '' }, { now: Date.now() });
  if (!created.ok) return (await findUserByEmail(store(), user.email)) ? 'address-taken' : 'refused-record';
  await recordEvent({
    actor: systemActor(name),
    action: 'users.create',
    target: user.email,
    outcome: 'succeeded',
    detail: `${user.role}, ${detail}`,
  });
  return created.user;
};

/** Gives a user the role, name and subject that the authority states now. */
export const followAuthority = async (
  user: StoredUser,
  stated: { role: UserRole; name: string; subject: string | null },
  { name: authority, detail }: Authority,
): Promise<StoredUser | Refusal> => {
  const { role, name, subject } = stated;
  if (user.disabled) return 'disabled';
  if (user.role === role && user.name === name && user.subject === subject) return user;
  const updated = await updateUser(store(), user.id, { role, name, ...(subject !== null && { subject }) });
  if (!updated.ok) return updated.reason === 'last-admin' ? 'last-admin' : 'refused-record';
  const change = user.role === role ? '' : `${user.role} → ${role}, `;
  await recordEvent({
    actor: systemActor(authority),
    action: 'users.update',
    target: user.email,
    outcome: 'succeeded',
    detail: change + detail,
  });
  return updated.after;
};

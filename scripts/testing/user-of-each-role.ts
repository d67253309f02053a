import { createUser } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import { USER_ROLES } from '@/lib/permissions';
import { store } from '@/lib/redis/store';
import { testActor } from './context';

export type UserOfEachRole = Record<(typeof USER_ROLES)[number], Extract<Actor, { kind: 'user' }>>;

/** A stored user of each role, otherwise like `testActor`, because jobs check again that their requester exists. */
export const userOfEachRole = async (): Promise<UserOfEachRole> => {
  const users = USER_ROLES.map(async (role) => {
    const actor = testActor(role) as UserOfEachRole[typeof role];
    const { email, name } = actor;
    const made = await createUser(store(), { email, name, role, passwordHash: '-' }, { now: Date.now() });
    if (!made.ok) throw new Error(made.reason);
    return [role, { ...actor, id: made.user.id }] as const;
  });
  return Object.fromEntries(await Promise.all(users)) as UserOfEachRole;
};

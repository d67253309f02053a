import 'server-only';
import { principalOf, roleNow } from '@/lib/access/on-behalf-of';
import { may, type Role } from '@/lib/permissions';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { jobDefinition } from './define';
import type { JobRecord } from './record';

const AUTHORISE_MS = 10 * SECOND;

export const PERMISSION_LOST = 'the user or API token that started it no longer has the permission';

/**
 * The current role of the user or API token that started a job; null when it lacks a permission the job needs, or no
 * longer exists. Throws the store's 503 `Problem`.
 */
export const currentRole = async (
  store: Store,
  { action, actor, needs }: JobRecord,
): Promise<Role | null> => {
  const principal = principalOf(actor);
  const role = principal && (await roleNow(store, principal, Date.now()));
  const permission = jobDefinition(action)?.permission;
  const permissions = permission ? [permission, ...needs] : needs;
  return role && permissions.every((needed) => may(role, needed)) ? role : null;
};

/** Checks the permissions behind a running job every `ms`: it continues with the current role, or is aborted. */
export const watchAuthority = (
  store: Store,
  record: JobRecord,
  controller: AbortController,
  ms = AUTHORISE_MS,
): (() => void) => {
  const timer = setInterval(() => {
    currentRole(store, record)
      .then((role) => {
        if (role === null) controller.abort('unauthorised');
        else record.actor.role = role;
      })
      // An unreachable store reveals nothing about permissions. It ends the job anyway, because progress cannot be
      // saved.
      .catch(() => undefined);
  }, ms);
  return () => clearInterval(timer);
};

import 'server-only';
import { principalOf, roleNow } from '@/lib/access/on-behalf-of';
import { may, type Role } from '@/lib/permissions';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { jobDefinition } from './define';
import type { JobRecord } from './record';

const AUTHORISE_MS = 10 * SECOND;

export const PERMISSION_LOST = 'whoever asked for it may no longer do this';

/**
 * The role that whoever asked for a job has now; null once they may not do it any more, or where nobody can be asked
 * again. Throws the store's 503 `Problem`.
 */
export const currentRole = async (
  store: Store,
  { action, actor, needs }: JobRecord,
): Promise<Role | null> => {
  const asker = principalOf(actor);
  const role = asker && (await roleNow(store, asker, Date.now()));
  const permission = jobDefinition(action)?.permission;
  const all = permission ? [permission, ...needs] : needs;
  return role && all.every((each) => may(role, each)) ? role : null;
};

/** Asks again and again for the rights of whoever asked: the job goes on with those of now, or ends without. */
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
      // A store out of reach says nothing of them; it ends the job by the progress that cannot be saved.
      .catch(() => undefined);
  }, ms);
  return () => clearInterval(timer);
};

import { scheduledOf } from '@/lib/jobs/schedule';
import { executeScheduled } from '@/lib/jobs/scheduler';
import type { Store } from '@/lib/redis/store';

/** Executes the changes due at `now` in the scheduler's order. Returns how many ended. */
export const executeDue = async (store: Store, now = Date.now(), connection = 'main'): Promise<number> => {
  let ended = 0;
  for (const { id, at, state } of await scheduledOf(store, connection)) {
    if (state !== 'waiting' || at > now) continue;
    if ((await executeScheduled(store, { connection, id }, now)) !== 'waiting') ended += 1;
  }
  return ended;
};

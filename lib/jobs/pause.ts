import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '@/lib/redis/store';
import { MINUTE, SECOND } from '@/lib/time';
import { holdQueues, releaseQueues } from './queue';
import { openJobs, readRecords } from './record';

const MAX_WAIT_MS = MINUTE;

const isAnyRunning = async (store: Store): Promise<boolean> =>
  (await readRecords(store, await openJobs(store))).some((record) => record?.state === 'running');

/**
 * Lets no job begin, in any process, and waits at most a minute for the running ones. Returns how to let them begin
 * again.
 */
export const pauseJobs = async (store: Store, maxMs = MAX_WAIT_MS): Promise<() => Promise<void>> => {
  await holdQueues(store);
  for (const until = Date.now() + maxMs; Date.now() < until && (await isAnyRunning(store)); )
    await sleep(SECOND / 4);
  return () => releaseQueues(store);
};

import 'server-only';
import { DelayedError, type Job } from 'bullmq';
import { z } from 'zod';
import { roleNow } from '@/lib/access/on-behalf-of';
import type { Actor } from '@/lib/actor';
import { findConnection } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { logBroken } from '@/lib/log';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { entryState, startWorker, type WorkerTimes } from './queue';
import type { Runner } from './runner';
import {
  changeItem,
  deleteItem,
  type Executed,
  queueItem,
  type ScheduledItem,
  scheduledOf,
  scheduledWork,
} from './schedule';

/** While Redis is unreachable, items are retried: a late change is better than none, and the list shows the reason. */
const RETRY_AFTER_MS = 5 * SECOND;

const suspended = (why: string): Executed => ({ state: 'suspended', why });

const execute = async (store: Store, item: ScheduledItem, now: number): Promise<Executed> => {
  const work = scheduledWork(item.action);
  if (!work) return suspended('This version of the console cannot execute it.');
  const payload = work.payload.safeParse(item.data);
  if (!payload.success)
    return suspended('The scheduled change cannot be read by this version of the console.');
  const connection = findConnection(item.connection);
  if (!connection) return suspended('This connection is no longer configured.');
  const role = await roleNow(store, item.by, now);
  const actor: Actor = {
    kind: 'schedule',
    id: item.id,
    onBehalfOf: item.by.id,
    name: item.by.name,
    role,
  };
  return work.execute({ actor, requestId: newId(), connection }, item, payload.data);
};

/** The reason for a retry. */
interface Postponed {
  state: 'waiting';
  why: string;
}

const UNREACHABLE: Postponed = { state: 'waiting', why: 'Redis is unreachable.' };
const NOT_YET: Postponed = { state: 'waiting', why: 'An earlier scheduled change is not done yet.' };

/** Changes of one target depend on each other, so they keep their order after an outage. */
const isNext = async (store: Store, { connection, action, target, at }: ScheduledItem): Promise<boolean> => {
  const others = await scheduledOf(store, connection, action);
  return !others.some((other) => other.target === target && other.at < at && other.state !== 'suspended');
};

const outcomeOf = async (store: Store, item: ScheduledItem, now: number): Promise<Executed | Postponed> => {
  try {
    return (await isNext(store, item)) ? await execute(store, item, now) : NOT_YET;
  } catch (error) {
    if (error instanceof Problem) return error.status === 503 ? UNREACHABLE : suspended(error.message);
    logBroken(`scheduled ${item.action} ${item.id}`, error);
    return suspended('An internal error occurred. The server log has its id.');
  }
};

const entryData = z.object({ connection: z.string(), id: z.string() });

/** Executes a waiting item. Returns `waiting` when it has to be retried, `done` also for an item in another state. */
export const executeScheduled = async (
  store: Store,
  entry: z.output<typeof entryData>,
  now = Date.now(),
): Promise<ScheduledItem['state'] | 'done'> => {
  const item = await changeItem(store, entry, 'waiting', { state: 'running' });
  if (!item) return 'done';
  const ended = await outcomeOf(store, item, now);
  if (ended.state === 'done') await deleteItem(store, item);
  else await changeItem(store, item, 'running', ended);
  return ended.state;
};

/** Starts this process's worker for scheduled items, which executes one at a time. */
export const startScheduler = (
  store: Store,
  { retryAfterMs = RETRY_AFTER_MS, ...times }: WorkerTimes & { retryAfterMs?: number } = {},
): Runner => {
  const work = async (entry: Job, token?: string): Promise<void> => {
    if ((await executeScheduled(store, entryData.parse(entry.data))) !== 'waiting') return;
    await entry.moveToDelayed(Date.now() + retryAfterMs, token);
    throw new DelayedError();
  };
  return startWorker(store, 'scheduled', work, { concurrency: 1, ...times });
};

const STOPPED = 'The console stopped while executing this. Check whether the change was made.';

/** Suspends a running item whose process died; true when it did. */
const suspendDead = async (store: Store, item: ScheduledItem): Promise<boolean> => {
  if ((await entryState(store, 'scheduled', item.id)) === 'active') return false;
  // The order matters: an item's end is written before its entry is removed.
  return (await changeItem(store, item, 'running', { state: 'suspended', why: STOPPED })) !== null;
};

/**
 * Suspends items whose process died, since they may or may not have been executed, and adds due items to the queue
 * that lost them or never had them (scheduled by an earlier version). Returns how many were suspended.
 */
export const reconcileScheduled = async (store: Store, connections: readonly string[]): Promise<number> => {
  let ended = 0;
  for (const connection of connections)
    for (const item of await scheduledOf(store, connection)) {
      if (item.state === 'running' && (await suspendDead(store, item))) ended += 1;
      if (item.state !== 'waiting' || item.at > Date.now()) continue;
      // Adding an entry twice changes nothing.
      await queueItem(store, item);
    }
  return ended;
};

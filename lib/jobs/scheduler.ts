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

/** While Redis is out of reach it is tried again: late is better than not at all, and the list says so. */
const RETRY_AFTER_MS = 5 * SECOND;

const suspended = (why: string): Executed => ({ state: 'suspended', why });

const execute = async (store: Store, item: ScheduledItem, now: number): Promise<Executed> => {
  const work = scheduledWork(item.action);
  if (!work) return suspended('Nothing here carries this out any more.');
  const payload = work.payload.safeParse(item.data);
  if (!payload.success) return suspended('What was planned cannot be read any more.');
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

/** Not now, and why. */
interface Later {
  state: 'waiting';
  why: string;
}

const UNREACHABLE: Later = { state: 'waiting', why: 'Redis is out of reach.' };
const NOT_YET: Later = { state: 'waiting', why: 'What was planned before it is not done yet.' };

/** Each builds upon what the one before it leaves: after an outage they still go in their order. */
const isNext = async (store: Store, { connection, action, target, at }: ScheduledItem): Promise<boolean> => {
  const others = await scheduledOf(store, connection, action);
  return !others.some((other) => other.target === target && other.at < at && other.state !== 'suspended');
};

const outcomeOf = async (store: Store, item: ScheduledItem, now: number): Promise<Executed | Later> => {
  try {
    return (await isNext(store, item)) ? await execute(store, item, now) : NOT_YET;
  } catch (error) {
    if (error instanceof Problem) return error.status === 503 ? UNREACHABLE : suspended(error.message);
    logBroken(`scheduled ${item.action} ${item.id}`, error);
    return suspended('It broke on our side; the server log has its id.');
  }
};

const entryData = z.object({ connection: z.string(), id: z.string() });

/** Executes an item that waits; one that does not is done with. `waiting`: it is to be tried again later. */
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

/** Starts this process's share of what is scheduled: one at a time, in the order of their times. */
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

const STOPPED = 'The console stopped while this was being carried out: see whether it was.';

/** True when it was at work in a process that is dead by now. */
const suspendDead = async (store: Store, item: ScheduledItem): Promise<boolean> => {
  if ((await entryState(store, 'scheduled', item.id)) === 'active') return false;
  // Read after its entry was: who executes it writes the item's end first.
  return (await changeItem(store, item, 'running', { state: 'suspended', why: STOPPED })) !== null;
};

/**
 * What a process that died was at is shown as suspended: it may have been executed or not. What is due and not in the
 * queue is put there: the queue lost it, or an earlier version of the console planned it. Returns how many died.
 */
export const reconcileScheduled = async (store: Store, connections: readonly string[]): Promise<number> => {
  let ended = 0;
  for (const connection of connections)
    for (const item of await scheduledOf(store, connection)) {
      if (item.state === 'running' && (await suspendDead(store, item))) ended += 1;
      if (item.state !== 'waiting' || item.at > Date.now()) continue;
      // Adding what is there already changes nothing.
      await queueItem(store, item);
    }
  return ended;
};

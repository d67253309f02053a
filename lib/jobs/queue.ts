import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, type JobState, type JobsOptions, Queue, Worker } from 'bullmq';
import { Problem } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';

/** Revocations and repairs are `urgent`: they have their own workers, so no analysis delays them. */
export type JobQueue = 'jobs' | 'urgent';
/** Scheduled work has its own queue, so long jobs do not delay it. */
export type QueueName = JobQueue | 'scheduled';

/** BullMQ's own keys are the catalog's `console.bull` family. */
export const QUEUE_PREFIX = 'keyward:bull';

const QUEUE_TIMEOUT_MS = 5 * SECOND;
const MAX_CLOSE_MS = 5 * SECOND;
const LOCK_MS = 8 * SECOND;
/** During a failover of the store no process can renew its locks, although it is alive. */
const FAILOVER_LOCK_MS = 30 * SECOND;

interface Queues {
  store: Store;
  client: ReturnType<Store['queue']>;
  byName: Record<QueueName, Queue>;
}

const openQueues = processWide<Queues | null>('queues', () => null);

const open = (store: Store): Queues => {
  const client = store.queue('add');
  const queueNamed = (name: QueueName): Queue => {
    const queue = new Queue(name, { connection: client, prefix: QUEUE_PREFIX });
    queue.on('error', () => undefined);
    return queue;
  };
  const [jobs, urgent, scheduled] = [queueNamed('jobs'), queueNamed('urgent'), queueNamed('scheduled')];
  return { store, client, byName: { jobs, urgent, scheduled } };
};

const queueOf = (store: Store, name: QueueName): Queue => {
  if (openQueues()?.store !== store) {
    void closeQueue();
    openQueues.replace(open(store));
  }
  return openQueues()!.byName[name];
};

export const closeQueue = async (): Promise<void> => {
  const opened = openQueues();
  openQueues.forget();
  for (const queue of Object.values(opened?.byName ?? {})) await queue.close().catch(() => undefined);
  // BullMQ does not close a client it did not open.
  opened?.client.disconnect();
};

/** On a client of its own, because this process may not write through its usual one. */
const withEachQueue = async (store: Store, work: (queue: Queue) => Promise<unknown>): Promise<void> => {
  const { client, byName } = open(store);
  const queues = Object.values(byName);
  try {
    for (const queue of queues) await work(queue);
  } finally {
    for (const queue of queues) await queue.close().catch(() => undefined);
    client.disconnect();
  }
};

/** No process takes an entry of any queue until `releaseQueues`. */
export const holdQueues = (store: Store): Promise<void> => withEachQueue(store, (queue) => queue.pause());

export const releaseQueues = (store: Store): Promise<void> =>
  withEachQueue(store, async (queue) => (await queue.isPaused()) && queue.resume());

const unavailable = (cause?: unknown): Problem =>
  new Problem('store_unavailable', 'The job queue cannot be reached.', { cause });

/** Calls a queue; throws 503 when it fails or does not answer in time. */
const callQueue = async <T>(
  store: Store,
  name: QueueName,
  work: (queue: Queue) => Promise<T>,
): Promise<T> => {
  const late = sleep(QUEUE_TIMEOUT_MS, undefined, { ref: false }).then(() => Promise.reject(unavailable()));
  try {
    return await Promise.race([work(queueOf(store, name)), late]);
  } catch (error) {
    throw error instanceof Problem ? error : unavailable(error);
  }
};

/** The entry is removed when its job is finished: the result is in the job's own record. */
export const addEntry = async (
  store: Store,
  name: QueueName,
  entry: { id: string; action: string; data: object },
  options: Pick<JobsOptions, 'delay'> = {},
): Promise<void> => {
  const jobOptions = { ...options, jobId: entry.id, removeOnComplete: true, removeOnFail: true };
  await callQueue(store, name, (queue) => queue.add(entry.action, entry.data, jobOptions));
};

/** False while a process works on the entry. */
export const removeEntry = async (store: Store, name: QueueName, id: string): Promise<boolean> =>
  (await callQueue(store, name, (queue) => queue.remove(id))) === 1;

/** `active` while a process that renews its lock works on the entry; `unknown` when it is finished or lost. */
export const entryState = (store: Store, name: QueueName, id: string): Promise<JobState | 'unknown'> =>
  callQueue(store, name, (queue) => queue.getJobState(id));

export interface WorkerTimes {
  /** A process that has not renewed its lock for this long counts as dead, ms. */
  lockMs?: number;
  /** How often locks are checked, ms. */
  stalledMs?: number;
}

/** Processes a queue. An entry whose process died fails and is not given to another process. */
export const startWorker = (
  store: Store,
  name: QueueName,
  work: (entry: Job, token?: string) => Promise<void>,
  {
    concurrency,
    lockMs = store.mayFailOver ? FAILOVER_LOCK_MS : LOCK_MS,
    stalledMs = 2 * SECOND,
  }: WorkerTimes & { concurrency: number },
): { close(drainMs?: number): Promise<void> } => {
  const client = store.queue('work');
  const worker = new Worker(name, work, {
    connection: client,
    prefix: QUEUE_PREFIX,
    concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledMs,
    maxStalledCount: 0,
    runRetryDelay: SECOND,
  });
  worker.on('error', () => undefined);
  return {
    close: async (drainMs = 0) => {
      // BullMQ waits for ever for a client between two attempts to connect.
      const waited = sleep(drainMs + MAX_CLOSE_MS, undefined, { ref: false });
      await Promise.race([worker.close().catch(() => undefined), waited]);
      client.disconnect();
    },
  };
};

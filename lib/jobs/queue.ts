import 'server-only';
import { type Job, type JobState, type JobsOptions, Queue, Worker } from 'bullmq';
import { Problem } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';

/** Revocations and repairs have workers of their own: no analysis holds them up. */
export type JobQueue = 'jobs' | 'urgent';
/** Jobs begin as soon as a process is free, scheduled work at its time: long jobs must not hold it up. */
export type QueueName = JobQueue | 'scheduled';

/** BullMQ's own keys are the catalog's `console.bull` family. */
export const QUEUE_PREFIX = 'keyward:bull';

const QUEUE_TIMEOUT_MS = 5 * SECOND;

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
  // BullMQ leaves alone what it did not open.
  opened?.client.disconnect();
};

const unavailable = (cause?: unknown): Problem =>
  new Problem('store_unavailable', 'The job queue cannot be reached.', { cause });

/** What a queue answers; 503 where it does not, or not in time. */
const ask = async <T>(store: Store, name: QueueName, work: (queue: Queue) => Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable()), QUEUE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work(queueOf(store, name)), late]);
  } catch (error) {
    throw error instanceof Problem ? error : unavailable(error);
  } finally {
    clearTimeout(timer);
  }
};

/** An entry is removed once it is over: what became of it is in the console's own records. */
export const addEntry = async (
  store: Store,
  name: QueueName,
  entry: { id: string; action: string; data: object },
  options: Pick<JobsOptions, 'delay'> = {},
): Promise<void> => {
  const all = { ...options, jobId: entry.id, removeOnComplete: true, removeOnFail: true };
  await ask(store, name, (queue) => queue.add(entry.action, entry.data, all));
};

/** False where a process is at it just now. */
export const removeEntry = async (store: Store, name: QueueName, id: string): Promise<boolean> =>
  (await ask(store, name, (queue) => queue.remove(id))) === 1;

/** `active` while a process that renews its lock is at it; `unknown` once it is over or lost. */
export const entryState = (store: Store, name: QueueName, id: string): Promise<JobState | 'unknown'> =>
  ask(store, name, (queue) => queue.getJobState(id));

export interface WorkerTimes {
  /** A process that did not renew its lock for so long counts as dead, ms. */
  lockMs?: number;
  /** How often it is looked for locks that were not renewed, ms. */
  stalledMs?: number;
}

/** Works on a queue. An entry whose process died fails, and is never given to another. */
export const startWorker = (
  store: Store,
  name: QueueName,
  work: (entry: Job, token?: string) => Promise<void>,
  { concurrency, lockMs = 8 * SECOND, stalledMs = 2 * SECOND }: WorkerTimes & { concurrency: number },
): { close(): Promise<void> } => {
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
    close: async () => {
      await worker.close().catch(() => undefined);
      client.disconnect();
    },
  };
};

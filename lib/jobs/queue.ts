import 'server-only';
import { Queue } from 'bullmq';
import type { z } from 'zod';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { processWide } from '@/lib/process-wide';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import type { JobDefinition } from './define';
import { openJobs, readRecords } from './record';
import { createRecord, finish, settle, workDigest } from './transitions';

export const QUEUE = 'jobs';
/** BullMQ's own keys are the catalog's `console.bull` family. */
export const QUEUE_PREFIX = 'keyward:bull';

const QUEUE_TIMEOUT_MS = 5000;

interface OpenQueue {
  store: Store;
  queue: Queue;
  client: ReturnType<Store['queue']>;
}

const openQueue = processWide<OpenQueue | null>('queue', () => null);

const queueOn = (store: Store): Queue => {
  const open = openQueue();
  if (open?.store === store) return open.queue;
  void closeQueue();
  const client = store.queue('add');
  const queue = new Queue(QUEUE, { connection: client, prefix: QUEUE_PREFIX });
  queue.on('error', () => undefined);
  openQueue.replace({ store, queue, client });
  return queue;
};

export const closeQueue = async (): Promise<void> => {
  const open = openQueue();
  openQueue.forget();
  await open?.queue.close().catch(() => undefined);
  // BullMQ leaves alone what it did not open.
  open?.client.disconnect();
};

/** Whether the queue still knows a job. */
export const isQueued = async (store: Store, jobId: string): Promise<boolean> =>
  (await within(queueOn(store).getJob(jobId), QUEUE_TIMEOUT_MS)) !== undefined;

const underWay = (jobId?: string): Problem =>
  new Problem('conflict', 'The same work is under way already.', jobId ? { extensions: { jobId } } : {});

/** 409 when the same work is queued or running. */
const refuseTwin = async (store: Store, work: string): Promise<void> => {
  const records = await readRecords(store, await openJobs(store));
  const twin = records.find((record) => record?.finishedAt === null && record.work === work);
  if (twin) throw underWay(twin.jobId);
};

/** Of two who look for a twin at the same moment neither would see the other: one at a time. */
const withWorkLease = async (store: Store, work: string, create: () => Promise<void>): Promise<void> => {
  const lease = consoleFamilies.lease.key({ name: `job-${work}` });
  const { ok } = await withLease(store, lease, { ms: QUEUE_TIMEOUT_MS }, create);
  if (!ok) throw underWay();
};

const within = <T>(work: Promise<T>, ms: number): Promise<T> => {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Problem('store_unavailable', 'The job queue did not answer in time.')),
      ms,
    );
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

interface NewWork<Payload> {
  data: Payload;
  /** What makes other work the same work; all of `data` unless said. */
  same?: unknown;
  target: string;
  total?: number | null;
}

/**
 * Hands long work to the job runner: it inherits the change's actor and intent, whose outcome it writes.
 * Throws 409 while the same work is under way, 503 when the store cannot take it.
 */
export const enqueue = async <Payload extends z.ZodType>(
  ctx: WriteContext,
  definition: JobDefinition<Payload>,
  { data, same = data, target, total = null }: NewWork<z.input<Payload>>,
): Promise<string> => {
  const { store, auditId, actor, reason, requestId } = ctx;
  const { action } = definition;
  const connection = ctx.connection.config.id;
  const jobId = newId();
  const work = workDigest(action, connection, same);
  const named = { jobId, auditId, action, connection, target, actor, reason, requestId };
  await withWorkLease(store, work, async () => {
    await refuseTwin(store, work);
    await createRecord(store, { ...named, work, total, createdAt: ctx.now() }, data);
  });
  try {
    const options = { jobId, removeOnComplete: true, removeOnFail: true };
    await within(queueOn(store).add(action, { jobId }, options), QUEUE_TIMEOUT_MS);
  } catch (cause) {
    await discard(store, jobId).catch(() => undefined);
    throw new Problem('store_unavailable', 'The job queue did not take the work; nothing was changed.', {
      cause,
    });
  }
  return jobId;
};

/** What could not be queued must not begin, should the queue have taken it after all. */
const discard = async (store: Store, jobId: string): Promise<void> => {
  const error = 'It could not be queued.';
  await finish(store, jobId, { state: 'failed', result: null, error, unbegun: true }, Date.now());
  await settle(store, jobId);
};

import 'server-only';
import { Queue } from 'bullmq';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import type { Store } from '@/lib/redis/store';
import type { JobDefinition } from './define';
import { createRecord, finish, newestJobs, readRecords } from './record';

export const QUEUE = 'jobs';
/** BullMQ's own keys are the catalog's `console.bull` family. */
export const QUEUE_PREFIX = 'keyward:bull';

const shared = globalThis as { keywardQueue?: { store: Store; queue: Queue } };

const queueOn = (store: Store): Queue => {
  if (shared.keywardQueue?.store !== store) {
    const queue = new Queue(QUEUE, { connection: store.queue(), prefix: QUEUE_PREFIX });
    queue.on('error', () => undefined);
    shared.keywardQueue = { store, queue };
  }
  return shared.keywardQueue.queue;
};

export const closeQueue = async (): Promise<void> => {
  const open = shared.keywardQueue;
  shared.keywardQueue = undefined;
  await open?.queue.close().catch(() => undefined);
};

const ACTIVE_WINDOW = 200;
const QUEUE_TIMEOUT_MS = 5000;

/** 409 when work of this kind with the same target is queued or running on this connection. */
const refuseTwin = async (ctx: WriteContext, definition: JobDefinition, target: string): Promise<void> => {
  const records = await readRecords(ctx.store, await newestJobs(ctx.store, 0, ACTIVE_WINDOW));
  const twin = records.find(
    (record) =>
      record?.finishedAt === null &&
      record.action === definition.action &&
      record.connection === ctx.connection.config.id &&
      record.target === target,
  );
  if (twin)
    throw new Problem('conflict', 'The same work is under way already.', {
      extensions: { jobId: twin.jobId },
    });
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

/**
 * Hands long work to the job runner: it inherits the change's actor and intent, whose outcome it writes.
 * Throws 409 while the same work is under way, 503 when the store cannot take it.
 */
export const enqueue = async (
  ctx: WriteContext,
  definition: JobDefinition,
  work: { data: AuditJson; target: string; total?: number | null },
): Promise<string> => {
  await refuseTwin(ctx, definition, work.target);
  const jobId = newId();
  await createRecord(ctx.store, {
    jobId,
    auditId: ctx.auditId,
    action: definition.action,
    connection: ctx.connection.config.id,
    target: work.target,
    actor: ctx.actor,
    reason: ctx.reason,
    requestId: ctx.requestId,
    data: work.data,
    state: 'queued',
    done: 0,
    total: work.total ?? null,
    pending: 0,
    cancelling: false,
    owner: null,
    result: null,
    error: null,
    createdAt: ctx.now(),
    startedAt: null,
    finishedAt: null,
  });
  try {
    const options = { jobId, attempts: definition.attempts, removeOnComplete: true, removeOnFail: true };
    await within(queueOn(ctx.store).add(definition.action, { jobId }, options), QUEUE_TIMEOUT_MS);
  } catch (cause) {
    await finish(ctx.store, jobId, 'failed', { error: 'It could not be queued.' }, ctx.now()).catch(
      () => undefined,
    );
    throw new Problem('store_unavailable', 'The job queue did not take the work; nothing was changed.', {
      cause,
    });
  }
  return jobId;
};

import 'server-only';
import type { z } from 'zod';
import { ownerOf } from '@/lib/actor';
import type { WriteContext } from '@/lib/command/context';
import { Problem, throttled } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Permission } from '@/lib/permissions';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { tracing } from '@/lib/trace';
import type { JobDefinition } from './define';
import { addEntry, type JobQueue } from './queue';
import { type JobRecord, openJobs, readRecords } from './record';
import { createRecord, finishRecord, settle, workDigest } from './transitions';

const LEASE_MS = 5 * SECOND;

const underWay = (jobId?: string): Problem =>
  new Problem(
    'conflict',
    'The same job is already queued or running.',
    jobId ? { extensions: { jobId } } : {},
  );

/** Unfinished jobs of one user in a queue: each waiting entry is retried every second, so a queue must stay short. */
const MAX_OPEN_PER_USER = 100;

/** Throws 409 when the same work is queued or running, 429 when the caller has too many jobs in this queue. */
const refuseMore = async ({ store, actor }: WriteContext, queue: JobQueue, work: string): Promise<void> => {
  const records = await readRecords(store, await openJobs(store));
  const open = records.filter((record) => record?.finishedAt === null) as JobRecord[];
  const duplicate = open.find((record) => record.work === work);
  if (duplicate) throw underWay(duplicate.jobId);
  const own = open.filter((record) => record.queue === queue && ownerOf(record.actor) === ownerOf(actor));
  if (own.length >= MAX_OPEN_PER_USER)
    throw throttled(`You have ${own.length} unfinished jobs. Wait for some of them to finish.`, 10);
};

/** Two callers that check for a duplicate at the same moment would not see each other's job, so they share a lease. */
const withWorkLease = async (store: Store, work: string, create: () => Promise<void>): Promise<void> => {
  const lease = consoleFamilies.lease.key({ name: `job-${work}` });
  const { ok } = await withLease(store, lease, { ms: LEASE_MS }, create);
  if (!ok) throw underWay();
};

interface NewWork<Payload> {
  data: Payload;
  /** What identifies the work when duplicates are refused; `data` by default. */
  same?: unknown;
  target: string;
  total?: number | null;
  /** Permissions this job needs in addition to its definition's. */
  needs?: readonly Permission[];
}

/**
 * Enqueues a job. It inherits the actor and the audit intent of the command, and writes the intent's outcome.
 * Throws 409 while the same work is queued or running, 429 beyond the caller's limit, 503 without the store.
 */
export const enqueue = async <Payload extends z.ZodType>(
  ctx: WriteContext,
  definition: JobDefinition<Payload>,
  { data, same = data, target, total = null, needs = [] }: NewWork<z.input<Payload>>,
): Promise<string> => {
  const { store, auditId, actor, reason, requestId } = ctx;
  const { action } = definition;
  const connection = ctx.connection.config.id;
  const jobId = newId();
  const queue = definition.urgent ? 'urgent' : 'jobs';
  const work = workDigest(action, connection, same);
  const named = { jobId, auditId, action, connection, target, actor, reason, requestId };
  let isConfirmed = false;
  await withWorkLease(store, work, async () => {
    await refuseMore(ctx, queue, work);
    isConfirmed = await createRecord(
      store,
      { ...named, work, queue, needs, approved: ctx.isApproved === true, total, createdAt: ctx.now() },
      data,
    );
  });
  try {
    if (!isConfirmed) throw new Error('no replica of the store has its record');
    await addEntry(store, queue, {
      id: jobId,
      action,
      data: { jobId, traceparent: tracing().traceparent() },
    });
  } catch (cause) {
    await discard(store, jobId).catch(() => undefined);
    throw new Problem('store_unavailable', 'The job could not be queued; nothing was changed.', {
      cause,
    });
  }
  return jobId;
};

/** The queue may have taken the entry although the call failed: the failed record keeps the job from starting. */
const discard = async (store: Store, jobId: string): Promise<void> => {
  const error = 'It could not be queued.';
  await finishRecord(store, jobId, { state: 'failed', result: null, error, unbegun: true }, Date.now());
  await settle(store, jobId);
};

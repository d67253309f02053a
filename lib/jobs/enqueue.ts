import 'server-only';
import type { z } from 'zod';
import { ownerOf } from '@/lib/actor';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import type { Permission } from '@/lib/permissions';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import type { JobDefinition } from './define';
import { addEntry, type JobQueue } from './queue';
import { type JobRecord, openJobs, readRecords } from './record';
import { createRecord, finishRecord, settle, workDigest } from './transitions';

const LEASE_MS = 5 * SECOND;

const underWay = (jobId?: string): Problem =>
  new Problem('conflict', 'The same work is under way already.', jobId ? { extensions: { jobId } } : {});

/** Each that waits for its turn is looked at again and again: nobody fills the queue. */
const MAX_OPEN_OF_ONE = 100;

/** 409 when the same work is queued or running, 429 when whoever asks has too much in this queue. */
const refuseMore = async ({ store, actor }: WriteContext, queue: JobQueue, work: string): Promise<void> => {
  const records = await readRecords(store, await openJobs(store));
  const open = records.filter((record) => record?.finishedAt === null) as JobRecord[];
  const duplicate = open.find((record) => record.work === work);
  if (duplicate) throw underWay(duplicate.jobId);
  const own = open.filter((record) => record.queue === queue && ownerOf(record.actor) === ownerOf(actor));
  if (own.length >= MAX_OPEN_OF_ONE)
    throw new Problem('throttled', `You have ${own.length} jobs under way already: wait for some to end.`, {
      extensions: { retryAfterSeconds: 10 },
    });
};

/** Of two who look for a duplicate at the same moment neither would see the other: one at a time. */
const withWorkLease = async (store: Store, work: string, create: () => Promise<void>): Promise<void> => {
  const lease = consoleFamilies.lease.key({ name: `job-${work}` });
  const { ok } = await withLease(store, lease, { ms: LEASE_MS }, create);
  if (!ok) throw underWay();
};

interface NewWork<Payload> {
  data: Payload;
  /** What makes other work the same work; all of `data` unless said. */
  same?: unknown;
  target: string;
  total?: number | null;
  /** What this very work needs besides its definition's permission. */
  needs?: readonly Permission[];
}

/**
 * Hands long work to the job runner: it inherits the change's actor and intent, whose outcome it writes.
 * Throws 409 while the same work is under way, 503 when the store cannot take it.
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
  await withWorkLease(store, work, async () => {
    await refuseMore(ctx, queue, work);
    await createRecord(store, { ...named, work, queue, needs, total, createdAt: ctx.now() }, data);
  });
  try {
    await addEntry(store, queue, { id: jobId, action, data: { jobId } });
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
  await finishRecord(store, jobId, { state: 'failed', result: null, error, unbegun: true }, Date.now());
  await settle(store, jobId);
};

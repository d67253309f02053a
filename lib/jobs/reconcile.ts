import 'server-only';
import { logBroken } from '@/lib/log';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { jobDefinition } from './define';
import { completeAudit, finishJob } from './finish';
import { entryState } from './queue';
import { type JobRecord, openJobs, readPayload, readRecords } from './record';
import { settle } from './transitions';

/** A younger job may just not have been added to the queue, or to the audit log, by its own process yet. */
const SETTLED_MS = 10 * SECOND;

const LOST = 'interrupted: the queue lost it before it started; nothing was changed';

/** Runs the definition's `interrupted`; a failure there is only logged, since the record is already final. */
const notifyInterrupted = async (store: Store, died: JobRecord): Promise<void> => {
  const definition = jobDefinition(died.action);
  if (!definition?.interrupted) return;
  try {
    const read = await readPayload(store, died, definition);
    if (read.ok) await definition.interrupted(store, { ...died, payload: read.payload });
  } catch (error) {
    logBroken(`interrupted job ${died.jobId}`, error);
  }
};

/** Ends a job whose process died or whose queue entry is lost. True when it was ended here. */
const reconcileOne = async (store: Store, jobId: string, record: JobRecord | null): Promise<boolean> => {
  const now = Date.now();
  if (!record) {
    await settle(store, jobId);
    return false;
  }
  if (record.finishedAt !== null) {
    if (now - record.finishedAt > SETTLED_MS) await completeAudit(store, record);
    return false;
  }
  const entry = await entryState(store, record.queue, jobId);
  if (record.startedAt === null) {
    if (entry !== 'unknown' || now - record.createdAt < SETTLED_MS) return false;
    return finishJob(store, jobId, { state: 'interrupted', error: LOST, unbegun: true });
  }
  // BullMQ fails the entry of a process that no longer renews its lock.
  if (entry === 'active' || !(await finishJob(store, jobId, { state: 'interrupted' }))) return false;
  await notifyInterrupted(store, record);
  return true;
};

/**
 * Marks jobs as interrupted whose process died or whose queue entry is lost. Jobs whose process renews its lock are left
 * alone. Returns how many were ended.
 */
export const reconcileJobs = async (store: Store): Promise<number> => {
  const ids = await openJobs(store);
  const records = await readRecords(store, ids);
  let ended = 0;
  for (const [i, jobId] of ids.entries()) if (await reconcileOne(store, jobId, records[i]!)) ended += 1;
  return ended;
};

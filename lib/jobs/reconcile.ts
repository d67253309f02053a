import 'server-only';
import { logBroken } from '@/lib/log';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { jobDefinition } from './define';
import { completeAudit, finishJob } from './finish';
import { entryState } from './queue';
import { type JobRecord, openJobs, readPayload, readRecords } from './record';
import { settle } from './transitions';

/** Younger than this, whoever is at it may only not have come to it yet. */
const SETTLED_MS = 10 * SECOND;

const LOST = 'interrupted: it was lost from the queue before it began; nothing was changed';

/** The record says how it ended, whatever else can be told. */
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

/** Ends what nobody will end any more. True when the job was. */
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
  // The queue takes an entry from a process that does not renew its lock any more.
  if (entry === 'active' || !(await finishJob(store, jobId, { state: 'interrupted' }))) return false;
  await notifyInterrupted(store, record);
  return true;
};

/**
 * Finds jobs whose process died in the middle, or that the queue lost, and says so: interrupted, with what was
 * done. A job whose process renews its lock is another's and is left alone. Returns how many were ended.
 */
export const reconcileJobs = async (store: Store): Promise<number> => {
  const ids = await openJobs(store);
  const records = await readRecords(store, ids);
  let ended = 0;
  for (const [i, jobId] of ids.entries()) if (await reconcileOne(store, jobId, records[i]!)) ended += 1;
  return ended;
};

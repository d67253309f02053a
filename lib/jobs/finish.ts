import 'server-only';
import { appendOutcome } from '@/lib/audit/log';
import { findEntry } from '@/lib/audit/reads';
import type { Outcome } from '@/lib/command/define';
import { undoExpiresAt } from '@/lib/command/undo-record';
import type { Fencing } from '@/lib/redis/node-fence';
import type { Store } from '@/lib/redis/store';
import { type JobRecord, progressOf, readRecord, unitOf } from './record';
import { finishRecord, settle } from './transitions';

export interface Ending {
  state: 'done' | 'failed' | 'cancelled' | 'interrupted';
  outcome?: Outcome<Record<string, unknown>>;
  error?: string;
  fencing?: Fencing | null;
  /** Why a running job was stopped; the progress is appended. */
  stopped?: string;
  /** Ends the job only if it has not started. */
  unbegun?: boolean;
}

const progressText = (record: JobRecord): string => {
  if (unitOf(record) === 'share') return `${Math.floor(100 * progressOf(record))} % done`;
  const ofTotal = record.total === null ? '' : ` of ${record.total}`;
  const unsure = record.pending > 0 ? `; ${record.pending} more may have been done` : '';
  return `${record.done}${ofTotal} done${unsure}`;
};

const audit = async (store: Store, record: JobRecord, outcome?: Ending['outcome']): Promise<void> => {
  const { done, total, pending } = record;
  await appendOutcome(store, {
    id: record.auditId,
    outcome: record.state === 'done' ? 'succeeded' : 'failed',
    detail: record.error,
    before: outcome?.before ?? null,
    after: outcome?.after ?? record.result ?? { done, total, pending },
    // A job that was stopped or died can be undone as far as it got.
    undoUntil: await undoExpiresAt(store, record.auditId),
  });
  await settle(store, record.jobId);
};

/** Ends a job and its audit entry, once. False when it is already finished, or has started and `unbegun` is set. */
export const finishJob = async (store: Store, jobId: string, ending: Ending): Promise<boolean> => {
  const record = await readRecord(store, jobId);
  if (!record || record.finishedAt !== null) return false;
  const { state, stopped } = ending;
  const how = stopped ? `stopped: ${stopped};` : `${state}:`;
  const error = state === 'done' ? null : (ending.error ?? `${how} ${progressText(record)}`);
  const result = ending.outcome?.result ?? null;
  const finishedAt = Date.now();
  const { unbegun, fencing = null } = ending;
  if (!(await finishRecord(store, jobId, { state, result, error, fencing, unbegun }, finishedAt)))
    return false;
  await audit(store, { ...record, state, result, error, finishedAt }, ending.outcome);
  return true;
};

/** Writes the audit outcome of a finished job if its process or the store failed before it could. */
export const completeAudit = async (store: Store, record: JobRecord): Promise<void> => {
  const entry = await findEntry(store, record.auditId);
  if (entry?.outcome === 'pending') await audit(store, record);
  else await settle(store, record.jobId);
};

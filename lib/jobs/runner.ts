import 'server-only';
import { UnrecoverableError, Worker } from 'bullmq';
import { appendOutcome } from '@/lib/audit/log';
import { findConnection, writeContext } from '@/lib/command/context';
import type { Outcome } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { logBroken } from '@/lib/log';
import type { Store } from '@/lib/redis/store';
import { type JobContext, jobDefinition } from './define';
import { processId } from './process';
import { QUEUE, QUEUE_PREFIX } from './queue';
import { claim, finish, isCancelRequested, type JobRecord, noteProgress, readRecord } from './record';

const CANCEL_POLL_MS = 300;
const CONCURRENCY = 2;

type End = 'done' | 'failed' | 'cancelled' | 'interrupted';

interface Ending {
  state: End;
  outcome?: Outcome<Record<string, unknown>>;
  error?: string;
}

const howMuch = (record: JobRecord): string => {
  const of = record.total === null ? '' : ` of ${record.total}`;
  const unsure = record.pending > 0 ? `; ${record.pending} more were under way` : '';
  return `${record.done}${of} done${unsure}`;
};

/** Ends the job and its audit entry, once. */
export const conclude = async (store: Store, jobId: string, ending: Ending): Promise<void> => {
  const record = await readRecord(store, jobId);
  if (!record || record.finishedAt !== null) return;
  const error = ending.state === 'done' ? null : (ending.error ?? `${ending.state}: ${howMuch(record)}`);
  const result = ending.outcome?.result ?? null;
  const over = await finish(store, jobId, ending.state, { result: result ?? undefined, error }, Date.now());
  if (!over) return;
  await appendOutcome(store, {
    id: record.auditId,
    outcome: ending.state === 'done' ? 'succeeded' : 'failed',
    detail: error,
    before: ending.outcome?.before ?? null,
    after: ending.outcome?.after ??
      result ?? { done: record.done, total: record.total, pending: record.pending },
  });
};

/** Aborts `controller` once somebody asks for the job's end. */
const watchForCancel = (store: Store, jobId: string, controller: AbortController): (() => void) => {
  const timer = setInterval(() => {
    isCancelRequested(store, jobId)
      .then((asked) => asked && controller.abort('cancelled'))
      .catch(() => undefined);
  }, CANCEL_POLL_MS);
  return () => clearInterval(timer);
};

const contextFor = (store: Store, record: JobRecord, signal: AbortSignal): JobContext => {
  const connection = findConnection(record.connection);
  if (!connection)
    throw new Problem('not_found', `Connection "${record.connection}" is no longer configured.`);
  if (connection.config.readOnly)
    throw new Problem('read_only', `Connection "${record.connection}" is read-only.`);
  const caller = { actor: record.actor, requestId: record.requestId };
  return {
    ...writeContext(caller, connection, { auditId: record.auditId, reason: record.reason }),
    jobId: record.jobId,
    signal,
    progress: (done, total, pending) => noteProgress(store, record.jobId, done, total, pending),
  };
};

const endingOf = async (store: Store, record: JobRecord, controller: AbortController): Promise<Ending> => {
  const definition = jobDefinition(record.action);
  if (!definition) return { state: 'failed', error: `Nothing here carries out ${record.action}.` };
  try {
    const outcome = await definition.run(contextFor(store, record, controller.signal), record.data);
    return { state: controller.signal.aborted ? stateOf(controller) : 'done', outcome };
  } catch (error) {
    if (controller.signal.aborted) return { state: stateOf(controller) };
    if (error instanceof Problem) return { state: 'failed', error: error.message };
    logBroken(`job ${record.jobId}`, error);
    return { state: 'failed', error: 'It broke on our side; the server log has the job id.' };
  }
};

const stateOf = (controller: AbortController): End =>
  controller.signal.reason === 'cancelled' ? 'cancelled' : 'interrupted';

/** Runs one job to its end. Whatever happens, its record and its audit entry say how it ended. */
export const runJob = async (store: Store, jobId: string, stopping: AbortSignal): Promise<void> => {
  const record = await readRecord(store, jobId);
  if (!record || record.finishedAt !== null) return;
  if (!(await claim(store, jobId, processId(), Date.now()))) {
    // The queue hands out again what a dead process had begun: it is not begun a second time.
    await conclude(store, jobId, { state: 'interrupted' });
    return;
  }
  const controller = new AbortController();
  const stop = () => controller.abort('stopping');
  stopping.addEventListener('abort', stop, { once: true });
  const unwatch = watchForCancel(store, jobId, controller);
  try {
    await conclude(store, jobId, await endingOf(store, record, controller));
  } finally {
    unwatch();
    stopping.removeEventListener('abort', stop);
  }
};

export interface Runner {
  close(): Promise<void>;
}

/** Starts this process's share of the job runner. */
export const startRunner = (store: Store): Runner => {
  const stopping = new AbortController();
  const worker = new Worker(
    QUEUE,
    async (job) => {
      try {
        await runJob(store, (job.data as { jobId: string }).jobId, stopping.signal);
      } catch (error) {
        throw new UnrecoverableError(error instanceof Error ? error.name : 'failed');
      }
    },
    {
      connection: store.queue(),
      prefix: QUEUE_PREFIX,
      concurrency: CONCURRENCY,
      maxStalledCount: 0,
      lockDuration: 15_000,
      stalledInterval: 10_000,
    },
  );
  worker.on('error', () => undefined);
  return {
    close: async () => {
      stopping.abort();
      await worker.close().catch(() => undefined);
    },
  };
};

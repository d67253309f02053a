import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import { findConnection, writeContext } from '@/lib/command/context';
import { readOnlyProblem } from '@/lib/command/run';
import { Problem } from '@/lib/errors';
import { logBroken } from '@/lib/log';
import { readOnlyReason } from '@/lib/redis/connections';
import { Fence } from '@/lib/redis/fence';
import { namedRefusal } from '@/lib/redis/refusal';
import type { Store } from '@/lib/redis/store';
import { describeSpan, withSpan } from '@/lib/trace';
import { currentRole, PERMISSION_LOST, watchAuthority } from './authority';
import { type JobContext, jobDefinition, PartialFailure } from './define';
import { CONCURRENCY, withFairShare } from './fair-share';
import { type Ending, finishJob } from './finish';
import { startWorker, type WorkerTimes } from './queue';
import { type JobRecord, readPayload, readRecord } from './record';
import type { JobPace } from './schema';
import { claim, readRequests, saveProgress } from './transitions';

const POLL_MS = 300;
/**
 * Shorter than the lock's duration: after a store outage the job must be finished before other processes consider it
 * dead.
 */
const FINISH_RETRY_MS = 250;
/** How long a job waits for another primary of the store. */
const MAX_FAILOVER_MS = 30_000;

/** What users requested for a running job. */
interface Requests {
  pace: JobPace;
  close(): void;
}

/** Aborts `controller` when the job's cancellation is requested, and follows the requested pace. */
const watchRequests = (store: Store, { jobId, pace }: JobRecord, controller: AbortController): Requests => {
  const requests: Requests = { pace, close: () => clearInterval(timer) };
  const timer = setInterval(() => {
    readRequests(store, jobId)
      .then((asked) => {
        requests.pace = asked.pace;
        if (asked.cancel) controller.abort('cancelled');
      })
      .catch(() => undefined);
  }, POLL_MS);
  return requests;
};

/** Another process considered this one dead and ended the job: nothing more may be changed. */
class OwnershipLost extends Error {}

const isTransient = (error: unknown): boolean => error instanceof Problem && error.status === 503;

/** Waits for another primary of the store, during which the job changes nothing. Only for work that may be repeated. */
const throughFailover = async <T>(store: Store, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  const until = performance.now() + MAX_FAILOVER_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const mayWait = store.mayFailOver && !signal.aborted && performance.now() < until;
      if (!mayWait || !isTransient(error)) throw error;
      await sleep(FINISH_RETRY_MS);
    }
  }
};

/** A claimed job that runs. */
interface Run {
  store: Store;
  record: JobRecord;
  controller: AbortController;
  requests: Requests;
}

const contextFor = async ({
  store,
  record,
  controller,
  requests,
}: Run): Promise<{ ctx: JobContext; fence: Fence }> => {
  const connection = findConnection(record.connection);
  if (!connection)
    throw new Problem('not_found', `Connection "${record.connection}" is no longer configured.`);
  if (!jobDefinition(record.action)?.onReadOnly) {
    const refusal = readOnlyProblem(record.connection, await readOnlyReason(connection));
    if (refusal) throw refusal;
  }
  const caller = { actor: record.actor, requestId: record.requestId, isApproved: record.approved };
  const change = writeContext(caller, connection, { auditId: record.auditId, reason: record.reason });
  const fence = new Fence(connection, controller.signal);
  const ctx: JobContext = {
    ...change,
    writer: fence.writer,
    follows: () => fence.follows(),
    confirmed: () => fence.confirmed(),
    jobId: record.jobId,
    signal: controller.signal,
    isFaster: () => requests.pace === 'faster',
    progress: async (done, total, pending) => {
      await fence.confirm();
      const progress = { done, total, pending, fencing: fence.fencing() };
      const next = await throughFailover(store, controller.signal, () =>
        saveProgress(store, record.jobId, progress),
      );
      if (next === 'over') throw new OwnershipLost();
      if (next === 'stop') controller.abort('cancelled');
    },
  };
  return { ctx, fence };
};

const execute = async (run: Run): Promise<Ending> => {
  const { store, record, controller } = run;
  const definition = jobDefinition(record.action);
  if (!definition)
    return { state: 'failed', error: `This version of the console cannot run ${record.action}.` };
  const read = await readPayload(store, record, definition);
  if (!read.ok) return { state: 'failed', error: read.reason };
  const { ctx, fence } = await contextFor(run);
  const ending = await definition.run(ctx, read.payload).then(
    (outcome): Ending => ({
      ...(controller.signal.aborted ? endOf(controller) : { state: 'done' }),
      outcome,
    }),
    (error: unknown) => failureOf(record, controller, error),
  );
  // An interrupted job changes nothing more. If the server is unreachable, the fencing shows what is unconfirmed.
  if (ending.state !== 'interrupted') await fence.confirmed().catch(() => false);
  return { ...ending, fencing: fence.fencing() };
};

const failureOf = (record: JobRecord, controller: AbortController, thrown: unknown): Ending => {
  const error = namedRefusal(thrown);
  if (error instanceof PartialFailure)
    return { ...failureOf(record, controller, error.cause), outcome: error.outcome };
  if (controller.signal.aborted) return endOf(controller);
  if (error instanceof OwnershipLost) return { state: 'interrupted' };
  if (error instanceof Problem) return { state: 'failed', error: error.message };
  logBroken(`job ${record.jobId}`, error);
  return { state: 'failed', error: 'An internal error occurred. The server log has the job id.' };
};

const endOf = ({ signal }: AbortController): Ending => {
  if (signal.reason === 'unauthorised') return { state: 'failed', stopped: PERMISSION_LOST };
  return { state: signal.reason === 'cancelled' ? 'cancelled' : 'interrupted' };
};

/** Retries while the store is unreachable, until the ending is written or this process stops. */
const finishWhenPossible = async (
  store: Store,
  jobId: string,
  ending: Ending,
  stopping: AbortSignal,
): Promise<void> => {
  for (;;) {
    try {
      await finishJob(store, jobId, ending);
      return;
    } catch (error) {
      if (stopping.aborted || !isTransient(error)) throw error;
      await sleep(FINISH_RETRY_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
};

/** Claims a job and gives it its actor's current role; null when it must not run. */
const claimJob = async (store: Store, jobId: string): Promise<JobRecord | null> => {
  const record = await readRecord(store, jobId);
  if (!record) return null;
  const role = await currentRole(store, record);
  if (role === null) {
    await finishJob(store, jobId, {
      state: 'failed',
      error: `not started: ${PERMISSION_LOST}`,
      unbegun: true,
    });
    return null;
  }
  record.actor.role = role;
  // A job started by a dead process is not started again: reconciliation ends it.
  return (await claim(store, jobId, Date.now())) ? record : null;
};

/**
 * Runs one job. However it ends, its record and its audit entry state the outcome. `causedBy`: the `traceparent` of the
 * request that enqueued it.
 */
export const runJob = async (
  store: Store,
  jobId: string,
  stopping: AbortSignal,
  authoriseMs?: number,
  causedBy?: string,
): Promise<void> => {
  const record = await claimJob(store, jobId);
  if (!record) return;
  const span = { 'keyward.job.id': jobId, 'keyward.operation': record.action };
  const options = { kind: 'consumer', link: causedBy } as const;
  await withSpan(
    `job ${record.action}`,
    span,
    () => runClaimed(store, record, stopping, authoriseMs),
    options,
  );
};

const runClaimed = async (
  store: Store,
  record: JobRecord,
  stopping: AbortSignal,
  authoriseMs?: number,
): Promise<void> => {
  const controller = new AbortController();
  const stop = () => controller.abort('stopping');
  stopping.addEventListener('abort', stop, { once: true });
  if (stopping.aborted) stop();
  const requests = watchRequests(store, record, controller);
  const unwatchAuthority = watchAuthority(store, record, controller, authoriseMs);
  try {
    const ending = await execute({ store, record, controller, requests }).catch((error: unknown) =>
      failureOf(record, controller, error),
    );
    describeSpan({ 'keyward.job.state': ending.state });
    await finishWhenPossible(store, record.jobId, ending, stopping);
  } finally {
    requests.close();
    unwatchAuthority();
    stopping.removeEventListener('abort', stop);
  }
};

export interface Runner {
  /** Takes no further work. What runs may complete within `drainMs`, 0 by default, and is interrupted then. */
  close(drainMs?: number): Promise<void>;
}

/** Starts this process's workers of both job queues. */
export const startRunner = (
  store: Store,
  { authoriseMs, ...times }: WorkerTimes & { authoriseMs?: number } = {},
): Runner => {
  const stopping = new AbortController();
  const workers = (['jobs', 'urgent'] as const).map((queue) => {
    const run = withFairShare(store, (jobId, traceparent) =>
      runJob(store, jobId, stopping.signal, authoriseMs, traceparent),
    );
    const work = async (entry: Job, token?: string): Promise<void> => {
      try {
        await run(entry, token);
      } catch (error) {
        if (error instanceof DelayedError) throw error;
        throw new UnrecoverableError(error instanceof Error ? error.name : 'failed');
      }
    };
    return startWorker(store, queue, work, { concurrency: CONCURRENCY, ...times });
  });
  return {
    close: async (drainMs = 0) => {
      if (drainMs === 0) stopping.abort();
      const timer = setTimeout(() => stopping.abort(), drainMs);
      await Promise.all(workers.map((worker) => worker.close(drainMs)));
      clearTimeout(timer);
    },
  };
};

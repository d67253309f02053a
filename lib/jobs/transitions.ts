import 'server-only';
import { digest, seal } from '@/lib/keyring';
import { allReplies, type Store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';
import { type JobRecord, jobKeys, sealedFor } from './record';
import type { JobState } from './schema';

/** What becomes of a job's record. Each step is one script: it happens whole, once, or not at all. */

const KEPT_MS = 90 * DAY;
const MAX_KEPT = 5000;

type NewJob = Pick<
  JobRecord,
  | 'jobId'
  | 'auditId'
  | 'action'
  | 'connection'
  | 'target'
  | 'actor'
  | 'reason'
  | 'requestId'
  | 'work'
  | 'total'
  | 'createdAt'
> &
  Partial<Pick<JobRecord, 'queue' | 'needs'>>;

/** The same for the same work on the same connection, whatever it is called. */
export const workDigest = (action: string, connection: string, data: unknown): string =>
  digest('job', JSON.stringify([action, connection, data]));

/** Writes a queued job. Its data is sealed, for key names can be secrets. */
export const createRecord = (store: Store, job: NewJob, data: unknown): Promise<void> =>
  store.use(async (redis) => {
    const { jobId, actor, reason, needs = [], total, ...fields } = job;
    const replies = await redis
      .multi()
      .hset(jobKeys.job(jobId), {
        ...fields,
        actor: JSON.stringify(actor),
        needs: JSON.stringify(needs),
        reason: reason ?? '',
        data: seal('job', Buffer.from(JSON.stringify(data)), sealedFor({ ...job, needs })),
        state: 'queued',
        done: 0,
        pending: 0,
        ...(total === null ? {} : { total }),
      })
      .pexpire(jobKeys.job(jobId), KEPT_MS)
      .zadd(jobKeys.index, job.createdAt, jobId)
      .zremrangebyrank(jobKeys.index, 0, -MAX_KEPT - 1)
      .sadd(jobKeys.open, jobId)
      .exec();
    allReplies(replies);
  });

const reply = async (work: Promise<unknown>): Promise<number> => ((await work) as number[])[2]!;

/** Begins a queued job, once; false when it was begun, is over or is to be cancelled. */
export const claim = async (store: Store, jobId: string, now: number): Promise<boolean> =>
  (await reply(store.run('job-claim', [jobKeys.job(jobId)], [now]))) === 1;

/**
 * Saves progress: `go-on`; `stop` when its end was asked for; `over` when somebody else ended it, because its
 * process seemed dead: then nothing more may be done.
 */
export const saveProgress = async (
  store: Store,
  jobId: string,
  progress: { done: number; total: number | null; pending: number },
): Promise<'go-on' | 'stop' | 'over'> => {
  const args = [progress.done, progress.pending, progress.total ?? ''];
  const saved = await reply(store.run('job-progress', [jobKeys.job(jobId)], args));
  if (saved === -1) return 'over';
  return saved === 1 ? 'go-on' : 'stop';
};

export const requestCancel = async (store: Store, jobId: string): Promise<void> => {
  await store.run('hash-touch', [jobKeys.job(jobId)], ['cancel', '1']);
};

export const isCancelRequested = (store: Store, jobId: string): Promise<boolean> =>
  store.use(async (redis) => (await redis.hget(jobKeys.job(jobId), 'cancel')) === '1');

export interface Finish {
  state: Exclude<JobState, 'queued' | 'running'>;
  result: Record<string, unknown> | null;
  error: string | null;
  /** Ends it only if it has not begun. */
  unbegun?: boolean;
}

/** Ends a job once: false when it had ended already, so that exactly one ending is recorded and audited. */
export const finishRecord = async (
  store: Store,
  jobId: string,
  ending: Finish,
  now: number,
): Promise<boolean> => {
  const fields: (string | number)[] = ['state', ending.state, 'finishedAt', now];
  if (ending.result !== null) fields.push('result', JSON.stringify(ending.result));
  if (ending.error) fields.push('error', ending.error);
  const args = [ending.unbegun ? '1' : '0', ...fields];
  return (await reply(store.run('job-finish', [jobKeys.job(jobId)], args))) === 1;
};

/** The job's end is in its record and in the audit log: nothing is left to do about it. */
export const settle = (store: Store, jobId: string): Promise<void> =>
  store.use(async (redis) => {
    await redis.srem(jobKeys.open, jobId);
  });

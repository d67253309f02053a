import 'server-only';
import { digest, seal } from '@/lib/keyring';
import type { Fencing } from '@/lib/redis/node-fence';
import { allReplies, type Store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';
import { jobKeys, type NewJob, paceFrom, sealedFor } from './record';
import type { JobPace, JobState } from './schema';

/** Changes of a job's record. Each is one script or transaction, so it happens completely or not at all. */

const KEPT_MS = 90 * DAY;
const MAX_KEPT = 5000;

/** Equal for equal work on the same connection. */
export const workDigest = (action: string, connection: string, data: unknown): string =>
  digest('job', JSON.stringify([action, connection, data]));

/**
 * Writes a queued job. Its data is sealed because key names can be secrets. Resolves with whether it would survive a
 * failover of the store.
 */
export const createRecord = (store: Store, job: NewJob, data: unknown): Promise<boolean> =>
  store.withReplica(async (redis, confirm) => {
    const { jobId, actor, reason, needs = [], approved = false, total, ...fields } = job;
    const replies = await redis
      .multi()
      .hset(jobKeys.job(jobId), {
        ...fields,
        actor: JSON.stringify(actor),
        needs: JSON.stringify(needs),
        approved: approved ? '1' : '',
        reason: reason ?? '',
        data: seal('job', Buffer.from(JSON.stringify(data)), sealedFor({ ...job, needs, approved })),
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
    return confirm();
  });

const reply = async (work: Promise<unknown>): Promise<number> => ((await work) as number[])[2]!;

/** Marks a queued job as running; false when it has started, is finished or its cancellation was requested. */
export const claim = async (store: Store, jobId: string, now: number): Promise<boolean> =>
  (await reply(store.run('job-claim', [jobKeys.job(jobId)], [now]))) === 1;

/**
 * Saves progress. Returns `stop` when cancellation was requested, and `over` when another process ended the job
 * because it considered this one dead: nothing more may be changed then.
 */
export const saveProgress = async (
  store: Store,
  jobId: string,
  progress: { done: number; total: number | null; pending: number; fencing: Fencing | null },
): Promise<'go-on' | 'stop' | 'over'> => {
  const { done, pending, total, fencing } = progress;
  const args = [done, pending, total ?? '', fencing ? JSON.stringify(fencing) : ''];
  const saved = await reply(store.run('job-progress', [jobKeys.job(jobId)], args));
  if (saved === -1) return 'over';
  return saved === 1 ? 'go-on' : 'stop';
};

export const requestCancel = async (store: Store, jobId: string): Promise<void> => {
  await store.run('hash-touch', [jobKeys.job(jobId)], ['cancel', '1']);
};

export const requestPace = async (store: Store, jobId: string, pace: JobPace): Promise<void> => {
  await store.run('hash-touch', [jobKeys.job(jobId)], ['pace', pace]);
};

/** What users requested for a job. */
export const readRequests = (store: Store, jobId: string): Promise<{ cancel: boolean; pace: JobPace }> =>
  store.use(async (redis) => {
    const [cancel, pace] = await redis.hmget(jobKeys.job(jobId), 'cancel', 'pace');
    return { cancel: cancel === '1', pace: paceFrom(pace) };
  });

export interface Finish {
  state: Exclude<JobState, 'queued' | 'running'>;
  result: Record<string, unknown> | null;
  error: string | null;
  fencing?: Fencing | null;
  /** Ends the job only if it has not started. */
  unbegun?: boolean;
}

/** Finishes a job; false when it already is, so that exactly one outcome is recorded and audited. */
export const finishRecord = async (
  store: Store,
  jobId: string,
  ending: Finish,
  now: number,
): Promise<boolean> => {
  const fields: (string | number)[] = ['state', ending.state, 'finishedAt', now];
  if (ending.result !== null) fields.push('result', JSON.stringify(ending.result));
  if (ending.error) fields.push('error', ending.error);
  if (ending.fencing) fields.push('fencing', JSON.stringify(ending.fencing));
  const args = [ending.unbegun ? '1' : '0', ...fields];
  return (await reply(store.run('job-finish', [jobKeys.job(jobId)], args))) === 1;
};

/** Removes a job from the open ones, after its outcome was written to the audit log. */
export const settle = (store: Store, jobId: string): Promise<void> =>
  store.use(async (redis) => {
    await redis.srem(jobKeys.open, jobId);
  });

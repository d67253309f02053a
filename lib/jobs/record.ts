import 'server-only';
import { type Actor, actorLabel } from '@/lib/actor';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { AuditJson } from '@/lib/command/define';
import { open, seal } from '@/lib/keyring';
import type { Store } from '@/lib/redis/store';
import { DAY, iso, isoOrNull } from '@/lib/time';
import type { Job, JobState } from './schema';

/** A job as the store keeps it: the truth about it, whatever becomes of the queue's own entry. */
export interface JobRecord {
  jobId: string;
  auditId: string;
  action: string;
  connection: string;
  target: string;
  actor: Actor;
  reason: string | null;
  requestId: string;
  /** Input of the run; sealed in the store, for key names can be secrets. */
  data: AuditJson;
  state: JobState;
  done: number;
  total: number | null;
  /** What was about to be done when progress was last noted: an interrupted job may have done it. */
  pending: number;
  cancelling: boolean;
  owner: string | null;
  result: Record<string, unknown> | null;
  error: string | null;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
}

const KEPT_MS = 90 * DAY;
const MOST_KEPT = 5000;

const keyOf = (jobId: string): Buffer => consoleFamilies.job.key({ id: jobId });
const INDEX = consoleFamilies.jobs.key();

export const createRecord = (store: Store, record: JobRecord): Promise<void> =>
  store.use(async (redis) => {
    const { data, actor, jobId } = record;
    await redis
      .multi()
      .hset(keyOf(jobId), {
        auditId: record.auditId,
        action: record.action,
        connection: record.connection,
        target: record.target,
        actor: JSON.stringify(actor),
        reason: record.reason ?? '',
        requestId: record.requestId,
        data: seal('job', Buffer.from(JSON.stringify(data)), jobId),
        state: record.state,
        done: 0,
        pending: 0,
        createdAt: record.createdAt,
        ...(record.total === null ? {} : { total: record.total }),
      })
      .pexpire(keyOf(jobId), KEPT_MS)
      .zadd(INDEX, record.createdAt, jobId)
      .zremrangebyrank(INDEX, 0, -MOST_KEPT - 1)
      .exec();
  });

const numberOrNull = (text: string | undefined): number | null =>
  text === undefined || text === '' ? null : Number(text);

const toRecord = (jobId: string, fields: Record<string, Buffer>): JobRecord | null => {
  if (!fields.action) return null;
  const text = (name: string): string | undefined => fields[name]?.toString('utf8');
  const plain = fields.data ? open('job', fields.data, jobId) : null;
  return {
    jobId,
    auditId: text('auditId') ?? '',
    action: text('action') ?? '',
    connection: text('connection') ?? '',
    target: text('target') ?? '',
    actor: JSON.parse(text('actor') ?? 'null') as Actor,
    reason: text('reason') || null,
    requestId: text('requestId') ?? '',
    data: plain ? (JSON.parse(plain.toString('utf8')) as AuditJson) : null,
    state: (text('state') ?? 'failed') as JobState,
    done: Number(text('done') ?? 0),
    total: numberOrNull(text('total')),
    pending: Number(text('pending') ?? 0),
    cancelling: text('cancel') === '1',
    owner: text('owner') ?? null,
    result: text('result') ? (JSON.parse(text('result')!) as Record<string, unknown>) : null,
    error: text('error') || null,
    createdAt: Number(text('createdAt') ?? 0),
    startedAt: numberOrNull(text('startedAt')),
    finishedAt: numberOrNull(text('finishedAt')),
  };
};

export const readRecords = (store: Store, jobIds: readonly string[]): Promise<(JobRecord | null)[]> =>
  store.use(async (redis) => {
    if (jobIds.length === 0) return [];
    const pipeline = redis.pipeline();
    for (const id of jobIds) pipeline.hgetallBuffer(keyOf(id));
    const replies = (await pipeline.exec()) ?? [];
    return replies.map(([, fields], i) => toRecord(jobIds[i]!, (fields ?? {}) as Record<string, Buffer>));
  });

export const readRecord = async (store: Store, jobId: string): Promise<JobRecord | null> =>
  (await readRecords(store, [jobId]))[0] ?? null;

/** Job ids newest first, from below `before` (epoch ms and id of the last one seen). */
export const newestJobs = (store: Store, offset: number, count: number): Promise<string[]> =>
  store.use((redis) => redis.zrevrange(INDEX, offset, offset + count - 1));

/** Starts a queued job for `owner`; false when it was started or finished already. */
export const claim = (store: Store, jobId: string, owner: string, now: number): Promise<boolean> =>
  store.use(async (redis) => {
    if ((await redis.hsetnx(keyOf(jobId), 'startedAt', now)) === 0) return false;
    if (await redis.hexists(keyOf(jobId), 'finishedAt')) return false;
    await redis.hset(keyOf(jobId), { state: 'running', owner });
    return true;
  });

export const noteProgress = (
  store: Store,
  jobId: string,
  done: number,
  total: number | null,
  pending: number,
): Promise<void> =>
  store.use(async (redis) => {
    await redis.hset(keyOf(jobId), { done, pending, ...(total === null ? {} : { total }) });
  });

export const requestCancel = (store: Store, jobId: string): Promise<void> =>
  store.use(async (redis) => {
    await redis.hset(keyOf(jobId), 'cancel', '1');
  });

export const isCancelRequested = (store: Store, jobId: string): Promise<boolean> =>
  store.use(async (redis) => (await redis.hget(keyOf(jobId), 'cancel')) === '1');

/** Ends a job once: false when it had ended already, so that exactly one ending is recorded and audited. */
export const finish = (
  store: Store,
  jobId: string,
  state: Exclude<JobState, 'queued' | 'running'>,
  ending: { result?: unknown; error?: string | null; done?: number },
  now: number,
): Promise<boolean> =>
  store.use(async (redis) => {
    if ((await redis.hsetnx(keyOf(jobId), 'finishedAt', now)) === 0) return false;
    await redis.hset(keyOf(jobId), {
      state,
      ...(ending.result === undefined ? {} : { result: JSON.stringify(ending.result) }),
      ...(ending.error ? { error: ending.error } : {}),
      ...(ending.done === undefined ? {} : { done: ending.done, pending: 0 }),
    });
    return true;
  });

const progressOf = (record: JobRecord): number => {
  if (record.state === 'done') return 1;
  if (!record.total) return 0;
  return Math.min(1, record.done / record.total);
};

/** A job as the interface shows it. */
export const toJob = (record: JobRecord, now: number, mayCancel: boolean): Job => {
  const until = record.finishedAt ?? now;
  const seconds = record.startedAt === null ? 0 : (until - record.startedAt) / 1000;
  return {
    jobId: record.jobId,
    auditId: record.auditId,
    action: record.action,
    connection: record.connection,
    target: record.target,
    actor: actorLabel(record.actor),
    state: record.state,
    progress: progressOf(record),
    done: record.done,
    total: record.total,
    pending: record.pending,
    ratePerSecond: seconds > 0 && record.done > 0 ? Math.round((record.done / seconds) * 10) / 10 : null,
    cancelling: record.cancelling && record.finishedAt === null,
    result: record.result,
    error: record.error,
    createdAt: iso(record.createdAt),
    startedAt: isoOrNull(record.startedAt),
    finishedAt: isoOrNull(record.finishedAt),
    mayCancel: mayCancel && record.finishedAt === null,
  };
};

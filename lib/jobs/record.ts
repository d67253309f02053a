import 'server-only';
import { type Actor, actorLabel } from '@/lib/actor';
import { open } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Permission } from '@/lib/permissions';
import type { Fencing } from '@/lib/redis/node-fence';
import { allReplies, type Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { iso, isoOrNull } from '@/lib/time';
import { type JobDefinition, jobDefinition } from './define';
import type { JobQueue } from './queue';
import { fencing, type Job, type JobPace, type JobState } from './schema';

export const jobKeys = {
  job: (jobId: string): Buffer => consoleFamilies.job.key({ id: jobId }),
  /** All jobs by the time they were created. */
  index: consoleFamilies.jobs.key(),
  /** Jobs that are unfinished, or whose outcome is not yet in the audit log. */
  open: consoleFamilies.openJobs.key(),
};

type Stored = string | null;
const text = (stored: Stored): string => stored ?? '';
const textOrNull = (stored: Stored): string | null => stored || null;
const number = (stored: Stored): number => Number(stored ?? 0);
const numberOrNull = (stored: Stored): number | null => (stored ? Number(stored) : null);
const flag = (stored: Stored): boolean => stored === '1';
export const paceFrom = (stored: Stored | undefined): JobPace => (stored === 'faster' ? 'faster' : 'default');

/** How each stored field is read. Not `data`, the input, which may be large and secret. */
const GIVEN = {
  auditId: text,
  action: text,
  connection: text,
  target: text,
  actor: (stored: Stored) => JSON.parse(stored ?? 'null') as Actor,
  reason: textOrNull,
  requestId: text,
  /** A digest that is equal for the same work, to refuse duplicates without revealing the input. */
  work: text,
  total: numberOrNull,
  createdAt: number,
};
/** Given too, or as by default. */
const OPTIONAL = {
  /** The queue that has its entry. */
  queue: (stored: Stored): JobQueue => (stored === 'urgent' ? 'urgent' : 'jobs'),
  /** Permissions it needs in addition to its definition's, fixed when it was enqueued. */
  needs: (stored: Stored) => JSON.parse(stored || '[]') as readonly Permission[],
  /** A second user approved the change, or it needs no approval. */
  approved: flag,
};
const FIELDS = {
  ...GIVEN,
  ...OPTIONAL,
  state: (stored: Stored) => (stored ?? 'failed') as JobState,
  done: number,
  /** The size of the chunk that followed the last saved progress: an interrupted job may have done it. */
  pending: number,
  /** A user requested that it ends. */
  cancel: flag,
  /** The pace a user requested. */
  pace: paceFrom,
  result: (stored: Stored) => (stored ? (JSON.parse(stored) as Record<string, unknown>) : null),
  error: textOrNull,
  /** Null before any change. */
  fencing: (stored: Stored): Fencing | null => parseStored(fencing, stored),
  startedAt: numberOrNull,
  finishedAt: numberOrNull,
};
const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

type Read<Fields extends Record<string, (stored: Stored) => unknown>> = {
  [Name in keyof Fields]: ReturnType<Fields[Name]>;
};
/** A job as stored. This record determines a job's state, not its entry in the queue. */
export type JobRecord = { jobId: string } & Read<typeof FIELDS>;
export type NewJob = { jobId: string } & Read<typeof GIVEN> & Partial<Read<typeof OPTIONAL>>;

const toRecord = (jobId: string, values: readonly Stored[]): JobRecord | null => {
  const fields = NAMES.map((name, i) => [name, FIELDS[name](values[i] ?? null)]);
  const record = { jobId, ...(Object.fromEntries(fields) as Read<typeof FIELDS>) };
  return record.action === '' ? null : record;
};

export const readRecords = (store: Store, jobIds: readonly string[]): Promise<(JobRecord | null)[]> =>
  store.use(async (redis) => {
    if (jobIds.length === 0) return [];
    const pipeline = redis.pipeline();
    for (const id of jobIds) pipeline.hmget(jobKeys.job(id), ...NAMES);
    const replies = allReplies(await pipeline.exec()) as (string | null)[][];
    return replies.map((values, i) => toRecord(jobIds[i]!, values));
  });

export const readRecord = async (store: Store, jobId: string): Promise<JobRecord | null> =>
  (await readRecords(store, [jobId]))[0] ?? null;

/** Bound to a job's sealed data, so data copied to another job, connection or actor in the store cannot be opened. */
export const sealedFor = (
  job: Pick<JobRecord, 'jobId' | 'action' | 'connection' | 'actor' | 'needs' | 'approved'>,
): string => {
  const bound = [job.jobId, job.action, job.connection, job.actor.kind, job.actor.id, job.needs];
  return JSON.stringify(job.approved ? [...bound, 'approved'] : bound);
};

type PayloadRead = { ok: true; payload: unknown } | { ok: false; reason: string };

const unreadable = (why: string): PayloadRead => ({
  ok: false,
  reason: `The job's input cannot be read: ${why}.`,
});

/** A job's input, parsed by its definition; or the reason it cannot be read. */
export const readPayload = async (
  store: Store,
  job: JobRecord,
  { payload }: JobDefinition,
): Promise<PayloadRead> => {
  const sealed = await store.use((redis) => redis.hgetBuffer(jobKeys.job(job.jobId), 'data'));
  // An earlier version bound the data to the job's id only.
  const plain = sealed && (open('job', sealed, sealedFor(job)) ?? open('job', sealed, job.jobId));
  if (!plain) return unreadable('it was altered, or sealed with another key');
  const parsed = payload.safeParse(JSON.parse(plain.toString('utf8')));
  if (parsed.success) return { ok: true, payload: parsed.data };
  // Values may be secret: only the fields are named.
  const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'payload');
  return unreadable(`another version of the console wrote it (${[...new Set(fields)].join(', ')})`);
};

/** Ids of jobs older than `after`, newest first. Empty when `after` was removed: the oldest are removed first. */
export const newestJobs = (store: Store, after: string | null, count: number): Promise<string[]> =>
  store.use(async (redis) => {
    const rank = after === null ? -1 : await redis.zrevrank(jobKeys.index, after);
    if (rank === null) return [];
    const ids = await redis.zrevrange(jobKeys.index, rank + 1, rank + count);
    // A job created between the two calls shifts the ranks by one.
    return ids.slice(after === null ? 0 : ids.indexOf(after) + 1);
  });

/** Ids of jobs that are unfinished, or whose outcome is not yet in the audit log. */
export const openJobs = (store: Store): Promise<string[]> =>
  store.use((redis) => redis.smembers(jobKeys.open));

export const unitOf = ({ action }: Pick<JobRecord, 'action'>) => jobDefinition(action)?.unit ?? 'keys';

export const progressOf = (record: JobRecord): number => {
  if (record.state === 'done') return 1;
  if (!record.total) return 0;
  return Math.min(1, record.done / record.total);
};

/** A job as the API returns it. */
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
    total: record.total === null ? null : Math.max(record.total, record.done),
    unit: unitOf(record),
    pending: record.pending,
    ratePerSecond: seconds > 0 && record.done > 0 ? Math.round((record.done / seconds) * 10) / 10 : null,
    cancelling: record.cancel && record.finishedAt === null,
    pace: record.pace,
    isPaced: jobDefinition(record.action)?.isPaced ?? false,
    result: record.result,
    error: record.error,
    fencing: record.fencing,
    createdAt: iso(record.createdAt),
    startedAt: isoOrNull(record.startedAt),
    finishedAt: isoOrNull(record.finishedAt),
    mayCancel: mayCancel && record.finishedAt === null,
  };
};

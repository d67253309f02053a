import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsoleContext } from '@/lib/command/context';
import { undoExpiresAt } from '@/lib/command/undo-record';
import type { Input, Result } from '@/lib/contract';
import { notFound } from '@/lib/errors';
import { badCursor } from '@/lib/list-page';
import { may } from '@/lib/permissions';
import { isoOrNull } from '@/lib/time';
import { jobDefinition } from './define';
import { type JobRecord, newestJobs, readRecord, readRecords, toJob } from './record';
import type { Job, jobContracts } from './schema';

const mayCancelJob = ({ actor }: ConsoleContext, { action }: JobRecord): boolean => {
  const permission = jobDefinition(action)?.permission;
  return permission !== undefined && actor.role !== null && may(actor.role, permission);
};

/** A user may see every kind of job they may start, and the jobs they started themselves. */
export const maySeeJob = (ctx: ConsoleContext, record: JobRecord): boolean =>
  (record.actor.id === ctx.actor.id && record.actor.kind === ctx.actor.kind) || mayCancelJob(ctx, record);

/** Lists are polled and long, so they omit long results. */
const inLists = (record: JobRecord): JobRecord =>
  record.result && jobDefinition(record.action)?.isLong
    ? { ...record, result: { summary: record.result.summary } }
    : record;

const CHUNK = 100;

const JOB_ID = /^[0-9a-f-]{36}$/;

/** Jobs, newest first. The cursor is the id of the last job examined. */
export const listJobs = async (
  ctx: ConsoleContext,
  input: Input<typeof jobContracts.list>,
): Promise<Result<typeof jobContracts.list>> => {
  let after = input.cursor ?? null;
  if (after !== null && !JOB_ID.test(after)) throw badCursor();
  const items: Job[] = [];
  for (;;) {
    const ids = await newestJobs(ctx.store, after, CHUNK);
    if (ids.length === 0) return { items, nextCursor: null };
    const records = await readRecords(ctx.store, ids);
    for (const [i, record] of records.entries()) {
      after = ids[i]!;
      if (!record || !maySeeJob(ctx, record)) continue;
      if (input.state && record.state !== input.state) continue;
      if (input.connection && record.connection !== input.connection) continue;
      if (input.action && record.action !== input.action) continue;
      items.push(toJob(inLists(record), ctx.now(), mayCancelJob(ctx, record)));
      if (items.length === input.limit) return { items, nextCursor: after };
    }
  }
};

/** One job; 404 also for one the caller may not see. */
export const findJob = async (ctx: ConsoleContext, jobId: string): Promise<JobRecord> => {
  const record = await readRecord(ctx.store, jobId);
  if (!record || !maySeeJob(ctx, record)) throw notFound('This job');
  return record;
};

export const getJob = async (ctx: ConsoleContext, input: { jobId: string }): Promise<Job> => {
  const record = await findJob(ctx, input.jobId);
  const undoUntil =
    record.finishedAt === null ? null : await undoExpiresAt(ctx.store, record.auditId, ctx.now());
  return { ...toJob(record, ctx.now(), mayCancelJob(ctx, record)), undoUntil: isoOrNull(undoUntil) };
};

const POLL_MS = 400;

/** Sends the job after each change until it is finished. */
export const streamJob = async (
  ctx: ConsoleContext,
  input: { jobId: string },
  sink: { send(event: 'progress' | 'end', data: unknown): void; signal: AbortSignal },
): Promise<void> => {
  let last = '';
  while (!sink.signal.aborted) {
    const job = await getJob(ctx, input);
    const text = JSON.stringify([job.state, job.done, job.total, job.cancelling]);
    if (job.finishedAt !== null) {
      sink.send('progress', job);
      sink.send('end', job);
      return;
    }
    if (text !== last) sink.send('progress', job);
    last = text;
    await sleep(POLL_MS, undefined, { signal: sink.signal }).catch(() => undefined);
  }
};

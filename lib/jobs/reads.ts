import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsoleContext } from '@/lib/command/context';
import { undoKeptUntil } from '@/lib/command/undo-record';
import type { Input, Result } from '@/lib/contract';
import { badInput, notFound } from '@/lib/errors';
import { may } from '@/lib/permissions';
import { isoOrNull } from '@/lib/time';
import { jobDefinition } from './define';
import { type JobRecord, newestJobs, readRecord, readRecords, toJob } from './record';
import type { Job, jobContracts } from './schema';

/** Whoever may start a kind of work may see and cancel it; and everyone what they started themselves. */
export const maySeeJob = (ctx: ConsoleContext, record: JobRecord): boolean => {
  const permission = jobDefinition(record.action)?.permission;
  if (record.actor.id === ctx.actor.id && record.actor.kind === ctx.actor.kind) return true;
  return permission !== undefined && ctx.actor.role !== null && may(ctx.actor.role, permission);
};

const mayCancelJob = (ctx: ConsoleContext, record: JobRecord): boolean => {
  const permission = jobDefinition(record.action)?.permission;
  return permission !== undefined && ctx.actor.role !== null && may(ctx.actor.role, permission);
};

const CHUNK = 100;

/** Jobs newest first; a page may be short. The cursor is how many jobs were passed. */
export const listJobs = async (
  ctx: ConsoleContext,
  input: Input<typeof jobContracts.list>,
): Promise<Result<typeof jobContracts.list>> => {
  if (!/^\d{1,6}$/.test(input.cursor ?? '0'))
    throw badInput([{ path: 'cursor', message: 'This is not a cursor of this list.' }]);
  let offset = Number(input.cursor ?? 0);
  const items: Job[] = [];
  for (;;) {
    const ids = await newestJobs(ctx.store, offset, CHUNK);
    const records = await readRecords(ctx.store, ids);
    for (const record of records) {
      offset += 1;
      if (!record || !maySeeJob(ctx, record)) continue;
      if (input.state && record.state !== input.state) continue;
      if (input.connection && record.connection !== input.connection) continue;
      items.push(toJob(record, ctx.now(), mayCancelJob(ctx, record)));
      if (items.length === input.limit) return { items, nextCursor: String(offset) };
    }
    if (ids.length < CHUNK) return { items, nextCursor: null };
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
  const kept = record.finishedAt === null ? null : await undoKeptUntil(ctx.store, record.auditId, ctx.now());
  return { ...toJob(record, ctx.now(), mayCancelJob(ctx, record)), undoUntil: isoOrNull(kept) };
};

const POLL_MS = 400;

/** Sends the job whenever it changed, until it ended. */
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

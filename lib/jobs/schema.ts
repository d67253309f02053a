import { z } from 'zod';
import { contract, isoTime, pageInput, pageOf } from '@/lib/contract';
import type { Fencing } from '@/lib/redis/node-fence';

export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled', 'interrupted'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** `faster`: without pauses and with calls up to four times as long. Added latency still slows it down. */
export const JOB_PACES = ['default', 'faster'] as const;
export type JobPace = (typeof JOB_PACES)[number];

/** How far a job's changes are known beyond its primary. */
export const fencing = z.object({
  replicas: z.number().meta({ description: 'How many replicas confirmed all changes.' }),
  why: z.enum(['none', 'left', 'late', 'refused']).nullable().meta({
    description:
      'Why not all were confirmed; null also where there never was a replica: there was none at times, one left, one was late, or the server does not let us read its replication.',
  }),
  failovers: z.number(),
  cameBack: z
    .number()
    .meta({ description: 'Changes that a new primary lacked and that were made again there.' }),
  unknown: z.number().meta({
    description: 'Changes whose reply was lost, or whose key has another value on the new primary.',
  }),
}) satisfies z.ZodType<Fencing>;

/** The unit of a job's progress; `share` is thousandths of a walk, whose size is an estimate. */
export const JOB_UNITS = ['keys', 'sessions', 'tokens', 'seconds', 'share'] as const;

export const job = z.object({
  jobId: z.string(),
  auditId: z.string(),
  action: z.string(),
  connection: z.string().nullable(),
  target: z.string().nullable(),
  actor: z.string(),
  state: z.enum(JOB_STATES),
  progress: z.number().min(0).max(1),
  done: z.number(),
  total: z.number().nullable().meta({ description: 'Never less than `done`.' }),
  unit: z.enum(JOB_UNITS).optional().meta({ description: 'Of `done` and `total`; `share`: thousandths.' }),
  pending: z.number().meta({
    description: 'Size of the chunk after the last saved progress. An interrupted job may have done it.',
  }),
  ratePerSecond: z.number().nullable(),
  cancelling: z.boolean(),
  pace: z.enum(JOB_PACES),
  isPaced: z.boolean().meta({ description: 'Whether jobs.setPace has an effect.' }),
  result: z.record(z.string(), z.unknown()).nullable().meta({
    description: 'Of a profile, lists have only the `summary`.',
  }),
  error: z.string().nullable(),
  fencing: fencing.nullable().meta({ description: 'Null while the job has changed nothing.' }),
  createdAt: isoTime,
  startedAt: isoTime.nullable(),
  finishedAt: isoTime.nullable(),
  mayCancel: z.boolean(),
  undoUntil: isoTime.nullish().meta({
    description: 'How long the job can be undone. Only in jobs.get, for a finished job.',
  }),
});
export type Job = z.output<typeof job>;

const jobId = z.string().regex(/^[0-9a-f-]{36}$/, 'Not a job id.');

export const jobContracts = {
  list: contract({
    id: 'jobs.list',
    method: 'GET',
    path: '/api/v1/jobs',
    permission: 'view',
    summary: 'Background jobs that the caller may see, newest first.',
    input: z.strictObject({
      state: z.enum(JOB_STATES).optional(),
      connection: z.string().max(100).optional(),
      action: z.string().max(100).optional().meta({ description: 'The operationId that started it.' }),
      ...pageInput,
    }),
    result: pageOf(job),
  }),
  get: contract({
    id: 'jobs.get',
    method: 'GET',
    path: '/api/v1/jobs/{jobId}',
    permission: 'view',
    summary: 'One job.',
    input: z.strictObject({ jobId }),
    result: job,
  }),
  stream: contract({
    id: 'jobs.stream',
    method: 'GET',
    path: '/api/v1/jobs/{jobId}/stream',
    permission: 'view',
    summary: "A job's progress: `progress` events, then `end`.",
    input: z.strictObject({ jobId }),
    result: job,
    stream: true,
  }),
  cancel: contract({
    id: 'jobs.cancel',
    method: 'POST',
    path: '/api/v1/jobs/{jobId}/cancel',
    touches: ['jobs.get'],
    permission: 'view',
    summary: 'Cancels a job before its next chunk. What it has done is not undone.',
    input: z.strictObject({ jobId, reason: z.string().max(500).optional() }),
    result: z.object({ jobId: z.string(), state: z.enum(JOB_STATES), auditId: z.string() }),
  }),
  setPace: contract({
    id: 'jobs.setPace',
    method: 'POST',
    path: '/api/v1/jobs/{jobId}/pace',
    touches: ['jobs.get'],
    permission: 'view',
    summary: "Lets a job use all of the server's spare time, or no longer.",
    input: z.strictObject({ jobId, pace: z.enum(JOB_PACES), reason: z.string().max(500).optional() }),
    result: z.object({
      jobId: z.string(),
      state: z.enum(JOB_STATES),
      pace: z.enum(JOB_PACES),
      auditId: z.string(),
    }),
  }),
};

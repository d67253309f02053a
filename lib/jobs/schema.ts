import { z } from 'zod';
import { contract, isoTime, pageInput, pageOf } from '@/lib/contract';

export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled', 'interrupted'] as const;
export type JobState = (typeof JOB_STATES)[number];

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
  total: z.number().nullable(),
  pending: z.number().meta({
    description: 'About to be done when progress was last saved: interrupted, it may have been done.',
  }),
  ratePerSecond: z.number().nullable(),
  cancelling: z.boolean(),
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
  createdAt: isoTime,
  startedAt: isoTime.nullable(),
  finishedAt: isoTime.nullable(),
  mayCancel: z.boolean(),
  undoUntil: isoTime.nullish().meta({
    description: 'Until when what it did can be taken back; told of a single job that is over.',
  }),
});
export type Job = z.output<typeof job>;

const jobId = z.string().regex(/^[0-9a-f-]{36}$/, 'This is not a job id.');

export const jobContracts = {
  list: contract({
    id: 'jobs.list',
    method: 'GET',
    path: '/api/v1/jobs',
    permission: 'view',
    summary: 'Long work, newest first: what the caller may start.',
    input: z.strictObject({
      state: z.enum(JOB_STATES).optional(),
      connection: z.string().max(100).optional(),
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
    summary: "A job's progress as it goes: `progress` events until the last, then `end`.",
    input: z.strictObject({ jobId }),
    result: job,
    stream: true,
  }),
  cancel: contract({
    id: 'jobs.cancel',
    method: 'POST',
    path: '/api/v1/jobs/{jobId}/cancel',
    permission: 'view',
    summary: 'Stops a job at its next chunk. What was done stays done.',
    input: z.strictObject({ jobId, reason: z.string().max(500).optional() }),
    result: z.object({ jobId: z.string(), state: z.enum(JOB_STATES), auditId: z.string() }),
  }),
};

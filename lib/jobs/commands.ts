import 'server-only';
import { actorLabel } from '@/lib/actor';
import type { ConsoleContext } from '@/lib/command/context';
import { defineConsoleCommand } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import type { Permission } from '@/lib/permissions';
import { jobDefinition } from './define';
import { finishJob } from './finish';
import { findJob } from './reads';
import { readRecord } from './record';
import { jobContracts } from './schema';
import { requestCancel, requestPace } from './transitions';

/** Whoever may start a job may also cancel it and set its pace. */
const permissionOf = async (ctx: ConsoleContext, input: { jobId: string }): Promise<Permission[]> => {
  const record = await findJob(ctx, input.jobId);
  const permission = jobDefinition(record.action)?.permission;
  return permission ? [permission] : [];
};

/** jobs.cancel: ends a queued job immediately and a running one before its next chunk. 409 when it is finished. */
export const cancelJob = defineConsoleCommand({
  contract: jobContracts.cancel,
  target: (input) => `job ${input.jobId}`,
  reaches: async (ctx, input) => (await findJob(ctx, input.jobId)).connection,
  redact: (input) => ({ jobId: input.jobId }),
  needs: permissionOf,
  run: async (ctx, input) => {
    const record = await findJob(ctx, input.jobId);
    if (record.finishedAt !== null) throw new Problem('conflict', `This job is already ${record.state}.`);
    await requestCancel(ctx.store, input.jobId);
    if (record.startedAt === null)
      await finishJob(ctx.store, input.jobId, {
        state: 'cancelled',
        error: `cancelled by ${actorLabel(ctx.actor)} before it started`,
        unbegun: true,
      });
    const state = (await readRecord(ctx.store, input.jobId))?.state ?? record.state;
    return { result: { jobId: input.jobId, state }, after: { state } };
  },
});

/** jobs.setPace: the pace of a queued or running job; 409 when it is finished, or has no pace. */
export const setJobPace = defineConsoleCommand({
  contract: jobContracts.setPace,
  target: (input) => `job ${input.jobId}`,
  reaches: async (ctx, input) => (await findJob(ctx, input.jobId)).connection,
  redact: ({ jobId, pace }) => ({ jobId, pace }),
  needs: permissionOf,
  run: async (ctx, { jobId, pace }) => {
    const record = await findJob(ctx, jobId);
    if (record.finishedAt !== null) throw new Problem('conflict', `This job is already ${record.state}.`);
    if (!jobDefinition(record.action)?.isPaced) throw new Problem('conflict', 'This job has no pace.');
    await requestPace(ctx.store, jobId, pace);
    const { state } = record;
    return { result: { jobId, state, pace }, before: { pace: record.pace }, after: { pace } };
  },
});

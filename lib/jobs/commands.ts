import 'server-only';
import { actorLabel } from '@/lib/actor';
import { defineConsoleCommand } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { jobDefinition } from './define';
import { finishJob } from './finish';
import { findJob } from './reads';
import { readRecord } from './record';
import { jobContracts } from './schema';
import { requestCancel } from './transitions';

/** jobs.cancel: ends a queued job immediately and a running one before its next chunk. 409 when it is finished. */
export const cancelJob = defineConsoleCommand({
  contract: jobContracts.cancel,
  target: (input) => `job ${input.jobId}`,
  reaches: async (ctx, input) => (await findJob(ctx, input.jobId)).connection,
  redact: (input) => ({ jobId: input.jobId }),
  needs: async (ctx, input) => {
    const record = await findJob(ctx, input.jobId);
    const permission = jobDefinition(record.action)?.permission;
    return permission ? [permission] : [];
  },
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

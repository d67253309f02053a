import 'server-only';
import { z } from 'zod';
import { defineCommand, type Outcome } from '@/lib/command/define';
import type { JobContext, JobDefinition } from '@/lib/jobs/define';
import { enqueue } from '@/lib/jobs/enqueue';
import { shareProgress } from '@/lib/jobs/share-progress';
import { checkAndStore } from './check';
import { type checkResult, conventionContracts } from './schema';

const payload = z.strictObject({});

const LABEL = 'the conventions';

const run = async (ctx: JobContext): Promise<Outcome<Record<string, unknown>>> => {
  const onShare = shareProgress(ctx);
  await onShare(0);
  const report = await checkAndStore(ctx.store, ctx.connection, {
    signal: ctx.signal,
    now: ctx.now,
    isFaster: ctx.isFaster,
    onShare,
  });
  const failed = report.rules.filter(({ state }) => state === 'failed').length;
  const { keys, score, complete } = report;
  const result: z.output<typeof checkResult> = { keys, score, failed, complete };
  return { result, after: { ...result } };
};

/** conventions.check: checks all keys and the server. Writes nothing to the user's Redis. */
export const conventionsJob: JobDefinition<typeof payload> = {
  action: conventionContracts.check.id,
  permission: 'analysis:run',
  unit: 'share',
  payload,
  onReadOnly: true,
  isPaced: true,
  run,
};

export const checkConventionsCommand = defineCommand({
  contract: conventionContracts.check,
  target: () => LABEL,
  redact: () => ({}),
  // It only reads.
  isNoOp: async () => true,
  run: async (ctx) => {
    const jobId = await enqueue(ctx, conventionsJob, { data: {}, target: LABEL });
    return { result: { jobId }, continues: true };
  },
});

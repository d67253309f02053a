import 'server-only';
import { defineCommand } from '@/lib/command/define';
import type { JobContext, JobDefinition } from '@/lib/jobs/define';
import { enqueue } from '@/lib/jobs/enqueue';
import { SECOND } from '@/lib/time';
import { type RepairHooks, repair } from './repair';
import { repairContracts } from './schema';

/** How often progress is reported while nothing changes, ms. */
const REPORT_INTERVAL_MS = SECOND / 2;

/** Progress in examined keys, over the scans for repair and verification. */
const progressOf = (ctx: JobContext, size: number, walks: number): RepairHooks['before'] => {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let earlier = 0;
  let last = 0;
  return async (examined, next) => {
    if (examined < last) earlier += size;
    last = examined;
    if (next === 0 && performance.now() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = performance.now();
    const total = size * walks;
    await ctx.progress(Math.min(earlier + examined, total), total, next);
  };
};

/** Safe to repeat, but nobody requested a second run: tried once. */
export const repairJob: JobDefinition<typeof repairContracts.repair.input> = {
  action: repairContracts.repair.id,
  permission: 'sessions:revoke',
  unit: 'share',
  urgent: true,
  payload: repairContracts.repair.input,
  run: async (ctx, input) => {
    const size = await ctx.reader.size();
    const walks = input.dryRun ? 1 : 2;
    const before = progressOf(ctx, size, walks);
    const result = await repair(ctx, input, { signal: ctx.signal, before });
    await ctx.progress(size * walks, size * walks, 0);
    const { before: found, after } = result;
    return { result: { ...result }, before: { ...found }, after: { ...after, ended: result.ended } };
  },
};

/** Repairs what applications leave behind, in a job. A dry run only counts. */
export const repairSessions = defineCommand({
  contract: repairContracts.repair,
  target: ({ kinds, dryRun }) => `${[...new Set(kinds)].join(', ')}${dryRun ? ' (dry run)' : ''}`,
  redact: ({ kinds, dryRun }) => ({ kinds, dryRun }),
  // A dry run changes nothing.
  needsConfirmation: ({ dryRun }) => !dryRun,
  dryRunIsJob: true,
  run: async (ctx, { kinds, dryRun }) => {
    const data = { kinds: [...new Set(kinds)], dryRun };
    const target = `${data.kinds.join(', ')}${dryRun ? ' (dry run)' : ''}`;
    const jobId = await enqueue(ctx, repairJob, { data, target, total: null });
    return { result: { jobId }, continues: true };
  },
});

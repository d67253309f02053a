import 'server-only';
import { defineCommand } from '@/lib/command/define';
import { enqueue } from '@/lib/jobs/enqueue';
import { checkJob } from './check-job';
import { checkNeeds } from './check-needs';
import { checkPlan, storedTarget } from './check-plan';
import { entityContracts } from './schema';

/** entities.check: finds dangling references, one-sided relations and partial sets, in a job. */
export const checkEntities = defineCommand({
  contract: entityContracts.check,
  target: (input, { catalog }) => checkPlan(catalog, input).label,
  redact: ({ family, kind }) => ({ family: family ?? null, kind: kind ?? null }),
  needs: ({ catalog }, input) => checkNeeds(catalog, input),
  // It only reads.
  isNoOp: async () => true,
  run: async (ctx, input) => {
    const { label } = checkPlan(ctx.catalog, input);
    const jobId = await enqueue(ctx, checkJob, {
      data: storedTarget(ctx.catalog, input),
      target: label,
      needs: checkNeeds(ctx.catalog, input),
    });
    return { result: { jobId }, continues: true };
  },
});

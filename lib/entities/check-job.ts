import 'server-only';
import { z } from 'zod';
import type { Outcome } from '@/lib/command/define';
import { rememberLongKeys } from '@/lib/command/key-ids';
import { type JobContext, type JobDefinition, PartialFailure } from '@/lib/jobs/define';
import { shareProgress } from '@/lib/jobs/share-progress';
import { CheckCounts } from './check-counts';
import { checkPlan } from './check-plan';
import { shownSamples } from './check-samples';
import { walkCheck } from './check-walk';
import { type CheckResult, entityContracts } from './schema';

const payload = z.strictObject({ family: z.string().nullable(), kind: z.string().nullable() });

const outcomeOf = async (
  ctx: JobContext,
  counts: CheckCounts,
  complete: boolean,
): Promise<Outcome<Record<string, unknown>>> => {
  const totals = counts.totals();
  const { families, ...sums } = totals;
  const reader = ctx.connection.background;
  // If the server was lost meanwhile, the counts are still reported.
  const samples = await shownSamples({ ...ctx, reader }, counts.samples).catch(() => []);
  await rememberLongKeys(
    ctx,
    counts.samples.map(({ key }) => key),
  );
  const result: CheckResult = { ...totals, complete, samples };
  return { result, after: { ...sums, families: families.length, complete } };
};

const run: JobDefinition<typeof payload>['run'] = async (ctx, target) => {
  const { signal } = ctx;
  const plan = checkPlan(ctx.catalog, target);
  let counts = new CheckCounts(plan);
  try {
    const onShare = shareProgress(ctx);
    await onShare(0);
    await walkCheck(ctx, plan, {
      signal,
      isFaster: ctx.isFaster,
      begin: () => {
        counts = new CheckCounts(plan);
        return counts;
      },
      onShare,
    });
    return await outcomeOf(ctx, counts, counts.unreadable === 0);
  } catch (error) {
    throw new PartialFailure(error, await outcomeOf(ctx, counts, false));
  }
};

/** entities.check: finds damaged relations of a family or a kind. Writes nothing to the user's Redis. */
export const checkJob: JobDefinition<typeof payload> = {
  action: entityContracts.check.id,
  permission: 'analysis:run',
  unit: 'share',
  payload,
  onReadOnly: true,
  isPaced: true,
  run,
};

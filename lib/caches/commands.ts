import 'server-only';
import { defineCommand } from '@/lib/command/define';
import { enqueue } from '@/lib/jobs/queue';
import { invalidationJob } from './job';
import { cacheContracts, type InvalidationTarget } from './schema';
import { describeTarget, isSensitive, resolveTarget } from './target';

const targetFields = (input: InvalidationTarget): InvalidationTarget => ({
  ...(input.keyIds ? { keyIds: input.keyIds } : {}),
  ...(input.family ? { family: input.family } : {}),
  ...(input.params ? { params: input.params } : {}),
});

/** caches.invalidate: deletes a target's keys as a job. Key names may hold secrets: the log has them masked. */
export const invalidate = defineCommand({
  contract: cacheContracts.invalidate,
  target: (input, ctx) => describeTarget(ctx.catalog, resolveTarget(ctx.catalog, input)),
  redact: (input) => ({
    family: input.family ?? null,
    params: Object.keys(input.params ?? {}),
    keys: input.keyIds?.length ?? 0,
  }),
  farReaching: () => true,
  needs: (ctx, input) =>
    isSensitive(ctx.catalog, resolveTarget(ctx.catalog, input)) ? ['caches:invalidate-sensitive'] : [],
  run: async (ctx, input) => {
    const fields = targetFields(input);
    const target = describeTarget(ctx.catalog, resolveTarget(ctx.catalog, fields));
    const jobId = await enqueue(ctx, invalidationJob, { data: fields, target });
    return { result: { jobId }, continues: true };
  },
});

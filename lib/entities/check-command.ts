import 'server-only';
import { sourcesOf } from '@/lib/catalog/entities';
import type { ReadContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { enqueue } from '@/lib/jobs/enqueue';
import type { Permission } from '@/lib/permissions';
import { checkJob } from './check-job';
import { checkPlan, storedTarget } from './check-plan';
import { entityContracts } from './schema';
import { permissionOf } from './show';

/** What the values of the checked families need, and of those that they are compared with. */
const permissionsOf = (ctx: ReadContext, input: Input<typeof entityContracts.check>): Permission[] => {
  const { families } = checkPlan(ctx.catalog, input);
  const found = [...families.values()].flatMap(({ family, members, fields }) => [
    family,
    ...[...members, ...fields].flatMap(({ target, inverse }) =>
      [...(inverse ? sourcesOf(inverse) : []), ...(inverse && target?.record ? target.record.keys : [])].map(
        (source) => ctx.catalog.mustGet(source.family),
      ),
    ),
  ]);
  return [...new Set(found.flatMap((family) => permissionOf(ctx.catalog, family) ?? []))];
};

/** entities.check: finds dangling references, one-sided relations and partial sets, as a job. */
export const checkEntities = defineCommand({
  contract: entityContracts.check,
  target: (input, { catalog }) => checkPlan(catalog, input).label,
  redact: ({ family, kind }) => ({ family: family ?? null, kind: kind ?? null }),
  needs: permissionsOf,
  // It reads and changes nothing.
  isNoOp: async () => true,
  run: async (ctx, input) => {
    const { label } = checkPlan(ctx.catalog, input);
    const jobId = await enqueue(ctx, checkJob, {
      data: storedTarget(ctx.catalog, input),
      target: label,
      needs: permissionsOf(ctx, input),
    });
    return { result: { jobId }, continues: true };
  },
});

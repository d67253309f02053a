import 'server-only';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badField } from '@/lib/errors';
import { startRestoration } from '@/lib/families/restore-job';
import { enqueue } from '@/lib/jobs/enqueue';
import { conventionContracts } from '../schema';
import { fixJob } from './job';

type FixInput = Input<typeof conventionContracts.fix>;

const labelOf = ({ rule, family, dryRun }: FixInput): string =>
  `${rule}${family ? ` of ${family}` : ''}${dryRun ? ' (dry run)' : ''}`;

/** conventions.fix: fixes the violations of a rule in a job, or previews that with `dryRun`. */
export const fixCommand = defineCommand({
  contract: conventionContracts.fix,
  target: labelOf,
  redact: ({ rule, family, dryRun, withoutUndo }) => ({ rule, family: family ?? null, dryRun, withoutUndo }),
  needsConfirmation: ({ dryRun }) => !dryRun,
  dryRunIsJob: true,
  actsAs: () => ['families.setTtl', 'families.invalidate'],
  run: async (ctx, input) => {
    const { rule, family = null, dryRun, withoutUndo } = input;
    if (family !== null && !ctx.catalog.families.some(({ id }) => id === family))
      throw badField('family', 'The catalog of this connection has no such family.');
    const label = labelOf(input);
    const jobId = await enqueue(ctx, fixJob, {
      data: { rule, family, dryRun, withoutUndo, label },
      // Two jobs for one rule would count each other's changes.
      same: { rule, dryRun },
      target: label,
    });
    return { result: { jobId }, continues: true };
  },
  undo: startRestoration,
});

import { z } from 'zod';
import { changeInput, contract, jobAccepted } from '@/lib/contract';
import { SESSIONS_PATH } from '../schema';

export const REPAIRS = ['staleIndex', 'unindexed', 'ghost', 'legacy', 'noTtl'] as const;
export type RepairKind = (typeof REPAIRS)[number];

const counts = z.partialRecord(z.enum(REPAIRS), z.number());

/** The result of a repair's job: by kind, and in all. */
export const repairResult = z.object({
  dryRun: z.boolean(),
  found: z.number().optional().meta({ description: 'Of all kinds asked for: the sum of `before`.' }),
  before: counts,
  repaired: counts.meta({ description: 'The ended among noTtl too; none in a dry run.' }),
  after: counts.meta({ description: 'Counted again after the work; in a dry run what was found.' }),
  remaining: z.number().optional().meta({ description: 'The sum of `after`.' }),
  ended: z.number().meta({
    description:
      'Of noTtl: older than 30 days already, so that nothing remained; removed, or to be (dry run).',
  }),
  left: z.number().meta({
    description: 'Found and left as they were: changed meanwhile, or without a readable creation time.',
  }),
});
export type RepairResult = z.output<typeof repairResult>;

export const repairContracts = {
  repair: contract({
    id: 'sessions.repair',
    method: 'POST',
    path: `${SESSIONS_PATH}/repair`,
    permission: 'sessions:revoke',
    status: 202,
    summary:
      'Repairs what applications leave behind, as a job with the counts before and after: stale index entries, unindexed sessions, ghosts, legacy keys, missing TTLs.',
    input: changeInput({
      kinds: z.array(z.enum(REPAIRS)).min(1).max(REPAIRS.length),
      dryRun: z.boolean().default(false),
    }),
    result: jobAccepted,
  }),
};

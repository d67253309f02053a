import { z } from 'zod';
import { changeInput, contract, jobAccepted } from '@/lib/contract';
import { SESSIONS_PATH } from '../schema';

export const REPAIRS = ['staleIndex', 'unindexed', 'ghost', 'legacy', 'noTtl'] as const;
export type RepairKind = (typeof REPAIRS)[number];

const counts = z.partialRecord(z.enum(REPAIRS), z.number());

/** The result of a repair job: per kind, and in total. */
export const repairResult = z.object({
  dryRun: z.boolean(),
  found: z.number().optional().meta({ description: 'The sum of `before`.' }),
  before: counts,
  repaired: counts.meta({ description: 'Includes the ended of noTtl; none in a dry run.' }),
  after: counts.meta({ description: 'Counted again after the repair; in a dry run equal to `before`.' }),
  remaining: z.number().optional().meta({ description: 'The sum of `after`.' }),
  ended: z.number().meta({
    description: 'Of noTtl: older than its lifetime, so the session was ended (in a dry run: would be).',
  }),
  left: z.number().meta({
    description: 'Found and not changed: modified meanwhile, or without a readable creation time.',
  }),
});
export type RepairResult = z.output<typeof repairResult>;

export const repairContracts = {
  repair: contract({
    id: 'sessions.repair',
    method: 'POST',
    path: `${SESSIONS_PATH}/repair`,
    touches: [],
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

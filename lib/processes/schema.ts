import { z } from 'zod';
import { contract, isoTime, pageInput, pageOf } from '@/lib/contract';
import { passFields } from '@/lib/role-keys/schema';

/**
 * `noTtl`: never expires. `tooOld`: older than the maximum lifetime its family declares. `notUpdated`: its status is
 * running, but its last update was more than five minutes ago.
 */
export const STUCK_REASONS = ['noTtl', 'tooOld', 'notUpdated'] as const;
export type StuckReason = (typeof STUCK_REASONS)[number];

/** `wrongType`: neither a hash nor a string. `unreadable`: broken JSON, too large, or not permitted. */
export const STATE_PROBLEMS = ['wrongType', 'unreadable'] as const;

/** `waiting`: pending, queued or paused. `unknown`: no status, or an unknown word. */
export const STAGES = ['running', 'waiting', 'finished', 'failed', 'unknown'] as const;
export type Stage = (typeof STAGES)[number];

const field = z.object({
  name: z.string(),
  value: z.string().nullable().meta({ description: 'null where it is a secret.' }),
  masked: z.boolean(),
  truncated: z.boolean(),
  time: isoTime.nullable().meta({ description: 'Where the value is a time.' }),
});
export type StateField = z.output<typeof field>;

const state = z.object({
  keyId: z.string(),
  key: z.string(),
  process: z.string().nullable(),
  id: z.string().nullable(),
  type: z.string(),
  status: z.string().nullable().meta({ description: 'As the process writes it; null where it says none.' }),
  stage: z.enum(STAGES),
  progress: z.number().min(0).max(1).nullable(),
  fields: z.array(field).meta({ description: 'The first 50, 1 KiB of each.' }),
  fieldsTotal: z.number(),
  ageSeconds: z.number().nullable().meta({ description: 'Since its start, where a field says when.' }),
  updatedSecondsAgo: z.number().nullable(),
  ttlSeconds: z.number().nullable().meta({ description: 'null does not expire.' }),
  maxTtlSeconds: z.number().nullable().meta({ description: 'What its family declares; null for nothing.' }),
  stuck: z.boolean(),
  stuckReasons: z.array(z.enum(STUCK_REASONS)),
  problem: z.enum(STATE_PROBLEMS).nullable(),
  family: z.string(),
  app: z.string(),
});
export type ProcessState = z.output<typeof state>;

export const processContracts = {
  list: contract({
    id: 'processes.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/processes',
    permission: 'live:view',
    summary: 'Processes by their stored state: stuck ones first, then the oldest.',
    input: z.strictObject({
      q: z.string().max(200).optional().meta({ description: 'Part of the key as it is shown.' }),
      process: z.string().max(300).optional(),
      stage: z.enum([...STAGES, 'stuck']).optional(),
      ...pageInput,
    }),
    result: pageOf(state).extend({
      total: z.number().nullable().meta({ description: 'All states; null while the first scan runs.' }),
      stuck: z.number().nullable(),
      stages: z.record(z.enum(STAGES), z.number()).meta({ description: 'States by stage.' }),
      processes: z.array(z.string()).meta({ description: 'The first 200, for filters.' }),
      ...passFields,
    }),
  }),
};

import { z } from 'zod';
import type { Use } from '@/lib/command/features';
import { contract, isoTime, noInput } from '@/lib/contract';

/** In the order of the page. */
export const USES = [
  ...(['read', 'sessions', 'flags', 'caches'] as const),
  ...(['windows', 'guard', 'keys', 'live'] as const),
] satisfies Use[];

export const FEATURE_STATES = ['works', 'slower', 'no'] as const;

const feature = z.object({
  id: z.string(),
  title: z.string(),
  use: z.enum(USES).meta({ description: 'What a Redis user gets the permission for.' }),
  state: z.enum(FEATURE_STATES).meta({
    description:
      '`slower`: with commands instead of scripts, or without some facts. `no`: refused before it is tried.',
  }),
  missing: z.array(z.string()).meta({ description: 'Commands that the Redis user may not use.' }),
  acl: z
    .string()
    .nullable()
    .meta({ description: 'Rules for ACL SETUSER that would allow it; null where none would help.' }),
  reason: z.string().nullable(),
  operations: z.array(z.string()).meta({ description: 'The operations that it stands for.' }),
});
export type FeatureRow = z.output<typeof feature>;

const node = z.object({
  id: z.string(),
  role: z.enum(['primary', 'replica', 'unknown']),
  user: z.string().nullable().meta({ description: 'As Redis names it; null where it may not ask.' }),
  scripts: z.boolean().meta({ description: 'It runs read-only scripts for this user.' }),
});

export const capabilityContracts = {
  get: contract({
    id: 'connections.capabilities',
    method: 'GET',
    path: '/api/v1/connections/{connection}/capabilities',
    permission: 'view',
    summary: 'What works for the Redis user of a connection, found without changing anything.',
    input: noInput,
    result: z.object({ features: z.array(feature), nodes: z.array(node), readAt: isoTime }),
  }),
};

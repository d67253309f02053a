import { z } from 'zod';
import type { Use } from '@/lib/command/features';
import { contract, isoTime, noInput, pageOf, shortListInput } from '@/lib/contract';

/** What can change in an application, for the form of an invalidation. */
export const entityKind = z.object({
  kind: z.string(),
  app: z.string(),
  ref: z.string().meta({ description: '`{app}.{kind}`, which is never ambiguous.' }),
  title: z.string(),
  invalidates: z.boolean().meta({ description: 'A rule says which keys are stale when it changes.' }),
  numericId: z.boolean().meta({ description: 'Its id is decimal digits.' }),
  explored: z.boolean().meta({ description: 'The entity explorer has it: `entities.kinds`.' }),
  facts: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      hint: z.string().nullable(),
      list: z.boolean().meta({ description: 'It has several values.' }),
    }),
  ),
});
export type EntityKind = z.output<typeof entityKind>;

export const connection = z.object({
  id: z.string(),
  name: z.string(),
  environment: z.enum(['development', 'staging', 'production']),
  topology: z.enum(['standalone', 'sentinel', 'cluster']),
  server: z.object({ product: z.string(), version: z.string() }).nullable(),
  status: z
    .enum(['ready', 'degraded', 'connecting', 'unreachable'])
    .meta({ description: 'degraded: some of its primaries are unreachable, and their share is missing.' }),
  statusReason: z.string().nullable(),
  apps: z.array(z.string()),
  roles: z.array(z.string()).meta({
    description:
      'The roles its catalog has families for: its pages follow from them. `flag` also where variables are flags.',
  }),
  entities: z.array(entityKind),
  role: z.enum(['primary', 'replica', 'unknown']).meta({ description: 'As the server reports it.' }),
  readOnly: z.boolean().meta({ description: 'As configured, or because the server is currently a replica.' }),
  approvals: z
    .object({
      operations: z.array(z.string()).meta({ description: 'They need approval by a second user.' }),
      limits: z.record(z.string(), z.record(z.string(), z.number())).meta({
        description: 'By role and operation: the number of things that need no approval.',
      }),
    })
    .nullish()
    .meta({ description: 'null where nothing needs approval.' }),
  scan: z.object({
    chunk: z.number(),
    pauseMs: z.number(),
    maxAddedLatencyMs: z.number(),
    currentPauseMs: z.number().meta({ description: 'Above pauseMs while scans back off.' }),
    latencyMs: z.number().nullable().meta({ description: 'Median round trip of the last chunks, ms.' }),
    backedOff: z.boolean(),
  }),
});
export type Connection = z.output<typeof connection>;

/** In the order of the page. */
export const USES = [
  'read',
  'sessions',
  'flags',
  'caches',
  'windows',
  'guard',
  'keys',
  'live',
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

export const connectionContracts = {
  list: contract({
    id: 'connections.list',
    method: 'GET',
    path: '/api/v1/connections',
    permission: 'view',
    summary: 'The configured Redis servers with their status, in the order of the configuration.',
    input: z.strictObject(shortListInput),
    result: pageOf(connection),
  }),
  test: contract({
    id: 'connections.test',
    method: 'POST',
    path: '/api/v1/connections/{connection}/test',
    permission: 'view',
    summary: 'Tests the connection now; names the reason when it fails.',
    input: noInput,
    result: z.object({
      ok: z.boolean(),
      reason: z.string().nullable(),
      latencyMs: z.number().nullable(),
      server: z.object({ product: z.string(), version: z.string() }).nullable(),
      supported: z.boolean().nullable(),
      features: z
        .object({ works: z.number(), slower: z.number(), no: z.number() })
        .nullable()
        .meta({ description: 'How many work for the Redis user: `connections.capabilities`.' }),
    }),
  }),
  capabilities: contract({
    id: 'connections.capabilities',
    method: 'GET',
    path: '/api/v1/connections/{connection}/capabilities',
    permission: 'view',
    summary: 'What works for the Redis user of a connection, found without changing anything.',
    input: noInput,
    result: z.object({ features: z.array(feature), nodes: z.array(node), readAt: isoTime }),
  }),
};

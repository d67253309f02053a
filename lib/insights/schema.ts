import { z } from 'zod';
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

export const attention = z.object({
  id: z.string(),
  severity: z.enum(['critical', 'warning', 'info']),
  text: z.string(),
  detail: z.string().nullable(),
  href: z.string().meta({ description: 'A path inside the console, without its base path.' }),
});
export type Attention = z.output<typeof attention>;

const count = z.number().nullable();

export const overview = z.object({
  sampledAt: isoTime.nullable(),
  hitRate: count.meta({ description: "0–1, of the last 60 s, without the console's own traffic." }),
  opsPerSecond: count,
  usedMemoryBytes: count,
  maxMemoryBytes: count,
  keys: count,
  keysWithTtl: count,
  connectedClients: count,
  evictedKeys: count,
  onlineUsers: count.meta({ description: "Members of the application's set of online users, now." }),
  sessions: count.meta({
    description:
      'Session keys, ghosts and malformed ones included: `sessions` of `sessions.stats`, as last counted.',
  }),
  sessionsCountedAt: isoTime.nullable(),
  blockedProjects: count.meta({ description: 'Members of the blocked set, now (SCARD).' }),
  blacklistedIps: count.meta({ description: 'Banned addresses: members of the blacklist, now (SCARD).' }),
  limitedProjects: count.meta({
    description:
      'Projects whose rate limit window is full: `counts.limited` of `guard.rateLimits.list`. Blocked projects and unreadable windows are not in it.',
  }),
  limitedProjectsCountedAt: isoTime.nullable(),
  flagRequests: count.meta({ description: 'Flag changes that the caller may approve or reject.' }),
  attention: z.array(attention),
});
export type Overview = z.output<typeof overview>;

const drift = z.object({
  family: z.string(),
  what: z.enum(['type']),
  documented: z.string(),
  found: z.string(),
  keys: z.number().meta({ description: 'Keys stored with the type `found`, out of the `of` keys checked.' }),
  of: z.number(),
});

export const familyRow = z.object({
  family: z.string(),
  app: z.string(),
  title: z.string(),
  purpose: z.string(),
  pattern: z.string(),
  type: z.string().meta({ description: 'As documented in the catalog; `types` has what is stored.' }),
  types: z
    .record(z.string(), z.number())
    .nullable()
    .meta({ description: 'Keys by stored type at the last count; null before the first count.' }),
  drift: z.array(drift).meta({ description: 'Stored types that the catalog does not document.' }),
  params: z.array(z.string()),
  secretParams: z.array(z.string()).meta({ description: 'Parameters that are secrets inside the key.' }),
  grammar: z
    .record(z.string(), z.string())
    .meta({ description: 'What each parameter looks like, in words.' }),
  pairs: z
    .string()
    .nullable()
    .meta({ description: 'The parameter that holds `name=value` pairs joined by `:`.' }),
  ttl: z.string().meta({ description: "The catalog's TTL policy in words." }),
  ttlSeconds: count.meta({ description: 'The longest TTL that the catalog documents; null without one.' }),
  expires: z
    .boolean()
    .meta({ description: 'Whether every key should have a TTL: keys without one are faults.' }),
  cache: z.boolean(),
  guarded: z.boolean(),
  keys: count,
  memoryBytes: count,
  withoutTtl: count,
  hitRate: count,
  hits: count,
  misses: count,
  source: z.enum(['counters', 'sample', 'none']),
  coverage: count,
  error: count.meta({ description: 'Half width of the 95 % confidence interval of hitRate, 0–1.' }),
  windowSeconds: count.meta({ description: 'Seconds observed in the last hour.' }),
  missesPerSecond: count,
  originLoadPerSecond: count.meta({
    description:
      'Estimated loads from the origin per second: one per miss of a cache; null for other families.',
  }),
  sampledAt: isoTime.nullable(),
  countedAt: isoTime.nullable(),
});
export type FamilyRow = z.output<typeof familyRow>;

export const insightContracts = {
  connections: contract({
    id: 'connections.list',
    method: 'GET',
    path: '/api/v1/connections',
    permission: 'view',
    summary: 'The configured Redis servers with their status, in the order of the configuration.',
    input: z.strictObject(shortListInput),
    result: pageOf(connection),
  }),
  connectionTest: contract({
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
  overview: contract({
    id: 'overview.get',
    method: 'GET',
    path: '/api/v1/connections/{connection}/overview',
    permission: 'view',
    summary: 'Live status of one Redis and what needs attention.',
    input: noInput,
    result: overview,
  }),
  families: contract({
    id: 'families.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/families',
    permission: 'view',
    summary:
      "The catalog's families with the last count of each, most keys first. A new count changes the order.",
    input: z.strictObject(shortListInput),
    result: pageOf(familyRow).extend({
      unclassified: z.number().nullable().meta({ description: 'Malformed keys of a family too.' }),
      malformed: z.number().nullable(),
      countedAt: isoTime.nullable(),
      overlaps: z.array(z.object({ families: z.array(z.string()), example: z.string(), winner: z.string() })),
    }),
  }),
};

const state = z.enum(['ready', 'degraded', 'connecting', 'unreachable']);

export const healthContracts = {
  live: contract({
    id: 'health.live',
    method: 'GET',
    path: '/api/health',
    permission: 'public',
    summary: 'The process is running.',
    input: noInput,
    result: z.object({ status: z.literal('ok') }),
  }),
  ready: contract({
    id: 'health.ready',
    method: 'GET',
    path: '/api/ready',
    permission: 'public',
    summary: 'Whether the console can work: 503 only when its store is unreachable.',
    input: noInput,
    result: z.object({
      status: z.enum(['ok', 'degraded', 'unavailable']),
      dependencies: z.array(z.object({ name: z.string(), state })),
    }),
  }),
};

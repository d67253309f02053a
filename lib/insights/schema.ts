import { z } from 'zod';
import { contract, isoTime, noInput, pageOf, shortListInput } from '@/lib/contract';

export const connection = z.object({
  id: z.string(),
  name: z.string(),
  environment: z.enum(['development', 'staging', 'production']),
  topology: z.enum(['standalone', 'sentinel', 'cluster']),
  server: z.object({ product: z.string(), version: z.string() }).nullable(),
  status: z.enum(['ready', 'connecting', 'unreachable']),
  statusReason: z.string().nullable(),
  apps: z.array(z.string()),
  role: z.enum(['primary', 'replica', 'unknown']).meta({ description: 'As the server says it itself.' }),
  readOnly: z.boolean().meta({ description: 'As configured, or because the server is a replica now.' }),
  scan: z.object({
    chunk: z.number(),
    pauseMs: z.number(),
    maxAddedLatencyMs: z.number(),
    currentPauseMs: z.number().meta({ description: 'Above pauseMs while scans back off.' }),
    latencyMs: z.number().nullable().meta({ description: 'Median round trip of the last chunks.' }),
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
  hitRate: count.meta({ description: "Of the last 60 s, the console's own traffic taken out." }),
  opsPerSecond: count,
  usedMemoryBytes: count,
  maxMemoryBytes: count,
  keys: count,
  keysWithTtl: count,
  connectedClients: count,
  evictedKeys: count,
  onlineUsers: count,
  sessions: count,
  blockedProjects: count,
  blacklistedIps: count,
  limitedProjects: count,
  flagRequests: count.meta({ description: 'Changes of flags that wait for the caller to decide.' }),
  attention: z.array(attention),
});
export type Overview = z.output<typeof overview>;

const drift = z.object({
  family: z.string(),
  what: z.enum(['type']),
  documented: z.string(),
  found: z.string(),
  keys: z.number().meta({ description: 'Keys found so, of the `of` that were looked at.' }),
  of: z.number(),
});

export const familyRow = z.object({
  family: z.string(),
  app: z.string(),
  title: z.string(),
  purpose: z.string(),
  pattern: z.string(),
  type: z.string().meta({ description: "The catalog's; `types` has what is stored." }),
  types: z
    .record(z.string(), z.number())
    .nullable()
    .meta({ description: 'Keys by the type they are stored as, at the last count; null before it.' }),
  drift: z.array(drift).meta({ description: 'Where what is stored is not what the catalog documents.' }),
  params: z.array(z.string()),
  pairs: z
    .string()
    .nullable()
    .meta({ description: 'Which of the parameters is `name=value` pairs joined by `:`.' }),
  ttl: z.string().meta({ description: "The catalog's TTL policy, in words." }),
  expires: z
    .boolean()
    .meta({ description: 'Whether every key should have a TTL: those without are damage.' }),
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
  error: count.meta({ description: 'Half width of the 95 % interval of hitRate, 0–1.' }),
  windowSeconds: count.meta({ description: 'Seconds observed in the last hour.' }),
  missesPerSecond: count,
  originLoadPerSecond: count.meta({
    description: 'Estimated loads from the origin a second: one for each miss of a cache; null for others.',
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
    summary: 'The configured Redis servers and how each is doing, in the order of the configuration.',
    input: z.strictObject(shortListInput),
    result: pageOf(connection),
  }),
  connectionTest: contract({
    id: 'connections.test',
    method: 'POST',
    path: '/api/v1/connections/{connection}/test',
    permission: 'view',
    summary: 'Tries the connection now and names the reason when it fails.',
    input: noInput,
    result: z.object({
      ok: z.boolean(),
      reason: z.string().nullable(),
      latencyMs: z.number().nullable(),
      server: z.object({ product: z.string(), version: z.string() }).nullable(),
      supported: z.boolean().nullable(),
    }),
  }),
  overview: contract({
    id: 'overview.get',
    method: 'GET',
    path: '/api/v1/connections/{connection}/overview',
    permission: 'view',
    summary: 'What this Redis is doing now, and what wants attention.',
    input: noInput,
    result: overview,
  }),
  families: contract({
    id: 'families.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/families',
    permission: 'view',
    summary: "The catalog's families with the last count of each, most keys first: a new count moves them.",
    input: z.strictObject(shortListInput),
    result: pageOf(familyRow).extend({
      unclassified: z.number().nullable(),
      countedAt: isoTime.nullable(),
      overlaps: z.array(z.object({ families: z.array(z.string()), example: z.string(), winner: z.string() })),
    }),
  }),
};

const state = z.enum(['ready', 'connecting', 'unreachable']);

export const healthContracts = {
  live: contract({
    id: 'health.live',
    method: 'GET',
    path: '/api/health',
    permission: 'public',
    summary: 'The process answers.',
    input: noInput,
    result: z.object({ status: z.literal('ok') }),
  }),
  ready: contract({
    id: 'health.ready',
    method: 'GET',
    path: '/api/ready',
    permission: 'public',
    summary: 'Whether the console can work: 503 only when its store is gone.',
    input: noInput,
    result: z.object({
      status: z.enum(['ok', 'degraded', 'unavailable']),
      dependencies: z.array(z.object({ name: z.string(), state })),
    }),
  }),
};

import { z } from 'zod';
import { changeInput, changeResult, contract, isoTime, noInput } from '@/lib/contract';

export const attention = z.object({
  id: z.string(),
  severity: z.enum(['critical', 'warning', 'info']),
  text: z.string(),
  detail: z.string().nullable(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).meta({
    description: 'What the two texts name, for a translation: by the part of `id` before its colon.',
  }),
  href: z.string().meta({ description: 'A path inside the console, without its base path.' }),
  canPutOff: z.boolean().meta({ description: 'Not where the console itself may have been tampered with.' }),
  putOff: z.object({ until: isoTime, by: z.string(), reason: z.string() }).nullable(),
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
  approvals: count.meta({
    description: 'Changes that the caller may approve or decline, those of flags included: `approvals.list`.',
  }),
  firingAlerts: count.meta({ description: 'Alert rules that fire and are not silenced.' }),
  attention: z.array(attention),
});
export type Overview = z.output<typeof overview>;

export const overviewContracts = {
  get: contract({
    id: 'overview.get',
    method: 'GET',
    path: '/api/v1/connections/{connection}/overview',
    permission: 'view',
    summary: 'Live status of one Redis and what needs attention.',
    input: noInput,
    result: overview,
  }),
  putOff: contract({
    id: 'overview.putOff',
    method: 'POST',
    path: '/api/v1/connections/{connection}/overview/put-off',
    touches: ['overview'],
    permission: 'live:view',
    summary: 'Puts off something that needs attention, for everybody, or shows it again (`until` null).',
    input: changeInput({
      id: z.string().min(1).max(300),
      until: isoTime.nullable().meta({ description: 'At most 30 days from now.' }),
    }).refine(({ until, reason }) => until === null || reason?.trim(), {
      path: ['reason'],
      message: 'Say why.',
    }),
    result: changeResult({ id: z.string(), until: isoTime.nullable() }),
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
    summary:
      'Whether requests may go here: 503 when its store is unreachable or upgraded by a newer console, or it is being stopped.',
    input: noInput,
    result: z.object({
      status: z.enum(['ok', 'degraded', 'unavailable', 'stopping']),
      dependencies: z.array(
        z.object({
          name: z.string(),
          state,
          reason: z.string().nullable().meta({ description: 'Why the store takes no changes.' }),
        }),
      ),
    }),
  }),
};

import { z } from 'zod';
import { contract, exactDigits, isoTime, pageInput, pageOf, queryInteger } from '@/lib/contract';
import { SPAN_LIMITS, spanInput } from '@/lib/history/schema';

const base = '/api/v1/connections/{connection}/guard';

/** Past periods in a sparkline. */
export const SPARK_PERIODS = 20;

export const trafficIp = z.object({
  memberId: z.string().meta({ description: "The field's bytes in base64url, as the collector wrote them." }),
  ip: z.string().meta({
    description:
      'The field as text; \\xNN for bytes that are not UTF-8. Written by the caller: never trust it.',
  }),
  kind: z.enum(['address', 'chain', 'text']).meta({
    description: 'A single address, a forwarded chain of addresses, or any other text.',
  }),
  firstAddress: z
    .string()
    .nullable()
    .meta({ description: 'The address, or the first address of a chain, as the caller claims it.' }),
  requests: z.number(),
  requestsExact: exactDigits,
  share: z.number().nullable().meta({ description: 'Share of all requests in the map, 0–1.' }),
  overThreshold: z
    .boolean()
    .meta({ description: 'requests ≥ threshold. Crossing it only notifies; people ban.' }),
  blacklisted: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether exactly this text is banned; null when the set is unreadable.' }),
  banText: z.string().nullable().meta({
    description: 'The address to ban so that this field is refused; null when there is none.',
  }),
  notBannable: z.string().nullable().meta({ description: 'Why it cannot be banned.' }),
  own: z.boolean().meta({ description: "The caller's own address." }),
  firstSeenAt: isoTime
    .nullable()
    .meta({ description: 'When it was first among the heaviest; null: before watching began, or never.' }),
  new: z.boolean().meta({ description: 'First seen within the last ten minutes.' }),
  ratePerSecond: z
    .number()
    .nullable()
    .meta({ description: "Requests per second, from the console's samples of the current period." }),
  crossesInSeconds: z.number().nullable().meta({
    description:
      'Seconds until it crosses the threshold at this rate; null when it already has, or will not before the period ends.',
  }),
  periods: z.array(z.number().nullable()).meta({
    description:
      'Requests in each of the last periods (`periodEnds`), oldest first, as last sampled; null where it was not among the heaviest.',
  }),
});
export type TrafficIp = z.output<typeof trafficIp>;

export const ipTraffic = pageOf(trafficIp).extend({
  chains: z
    .array(
      z.object({
        firstAddress: z.string(),
        fields: z.number(),
        requests: z.number(),
        requestsExact: exactDigits,
      }),
    )
    .meta({
      description: 'Chains among the items by the first address they claim, heaviest first.',
    }),
  total: z.number().meta({ description: 'Requests of all fields.' }),
  totalExact: exactDigits,
  ips: z.number().meta({ description: 'Number of fields of the map.' }),
  exact: z.boolean().meta({
    description:
      'false: fields were removed while the map was read, so total, ips and distribution are estimates.',
  }),
  unreadable: z.number().meta({ description: 'Fields whose value is not a count; not in any other figure.' }),
  distribution: z
    .array(z.object({ from: z.number(), to: z.number(), ips: z.number() }))
    .meta({ description: 'Number of fields with from ≤ requests < to; without gaps, lightest first.' }),
  threshold: z.number(),
  periodSeconds: z.number().meta({ description: 'As configured.' }),
  periodEndsAt: isoTime.nullable().meta({
    description: 'When the collector deletes the map next, from observed deletions; null: unknown.',
  }),
  periodEnds: z.array(isoTime).meta({ description: 'When the periods of `items[].periods` ended.' }),
  watchedSince: isoTime.nullable().meta({ description: 'When the console began to sample this map.' }),
  inForceWithinSeconds: z.number(),
  sampledAt: isoTime.meta({
    description: 'When the map was read; readers share one pass for a few seconds.',
  }),
  problem: z.string().nullable().meta({ description: 'Why the map is unreadable: its key is not a hash.' }),
});
export type IpTraffic = z.output<typeof ipTraffic>;

export const guardPoint = z.object({
  at: isoTime,
  blockedProjects: z.number().nullable(),
  blacklistedIps: z.number().nullable(),
  limitedProjects: z.number().nullable(),
});
export type GuardPoint = z.output<typeof guardPoint>;

export const trafficContracts = {
  ipsTop: contract({
    id: 'guard.ips.top',
    method: 'GET',
    path: `${base}/ips`,
    permission: 'guard:view',
    summary:
      'Callers by requests, descending, of the current period or of all time, with their distribution. Callers of the period before that are silent in this one come last, with 0. Each page is a new reading: a caller that moved meanwhile may appear twice or be missed.',
    input: z.strictObject({
      map: z.enum(['all', 'currentPeriod']).default('currentPeriod'),
      ...pageInput,
    }),
    result: ipTraffic,
  }),
  history: contract({
    id: 'guard.history',
    method: 'GET',
    path: `${base}/history`,
    permission: 'guard:view',
    summary:
      'Blocked projects, banned addresses and limited projects over time. A span without samples has no point.',
    input: z
      .strictObject({ ...spanInput, stepSeconds: queryInteger(1, 86_400).default(60) })
      .refine(...SPAN_LIMITS.order)
      .refine(...SPAN_LIMITS.points),
    result: z.object({ points: z.array(guardPoint), stepSeconds: z.number() }),
  }),
};

import { z } from 'zod';
import { contract, isoTime, pageInput, pageOf, queryInteger } from '@/lib/contract';

const base = '/api/v1/connections/{connection}/guard';

/** How many past periods a sparkline shows. */
export const SPARK_PERIODS = 20;

const exact = z.string().nullable().meta({
  description: 'The digits as they are, where the number beside is too large (from 2^53) to be exact.',
});

export const trafficIp = z.object({
  memberId: z.string().meta({ description: "The field's bytes, base64url: what the collector wrote." }),
  ip: z
    .string()
    .meta({ description: 'The field for reading: text, with \\xNN for what is none. Never trusted.' }),
  kind: z.enum(['address', 'chain', 'text']).meta({
    description: 'A single address, a forwarded chain of several, or any other text a caller sent.',
  }),
  firstAddress: z
    .string()
    .nullable()
    .meta({ description: 'Of an address itself, of a chain its first: what the caller says of itself.' }),
  requests: z.number(),
  requestsExact: exact,
  share: z.number().nullable().meta({ description: 'Of all requests in the map, 0–1.' }),
  overThreshold: z
    .boolean()
    .meta({ description: 'requests ≥ threshold. Crossing only notifies; people ban.' }),
  blacklisted: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether exactly this text is in the set; null when the set cannot be read.' }),
  banText: z.string().nullable().meta({
    description: 'The address to blacklist so that this field is refused; null when there is none.',
  }),
  notBannable: z.string().nullable().meta({ description: 'Why there is none.' }),
  own: z.boolean().meta({ description: "The caller's own address." }),
  firstSeenAt: isoTime
    .nullable()
    .meta({ description: 'First among the heaviest in a sample; null: before watching began, or never.' }),
  new: z.boolean().meta({ description: 'First seen within the last ten minutes.' }),
  ratePerSecond: z
    .number()
    .nullable()
    .meta({ description: "Requests a second, from the console's own samples of the current period." }),
  crossesInSeconds: z.number().nullable().meta({
    description:
      'At this rate the current period crosses the threshold in so many seconds; null when it is over already, or does not before the period ends.',
  }),
  periods: z.array(z.number().nullable()).meta({
    description:
      'Requests in each of the last periods (`periodEnds`), oldest first, as last seen before the period ended; null where it was not among the heaviest that are kept.',
  }),
});
export type TrafficIp = z.output<typeof trafficIp>;

export const ipTraffic = pageOf(trafficIp).extend({
  chains: z.array(z.object({ firstAddress: z.string(), fields: z.number(), requests: z.number() })).meta({
    description: 'The chains among the items, grouped by the first address they claim, heaviest first.',
  }),
  total: z.number().meta({ description: 'Requests of all fields.' }),
  totalExact: exact,
  ips: z.number().meta({ description: 'Fields of the map.' }),
  exact: z.boolean().meta({
    description:
      'false: fields were removed from the map while it was read, so that total, ips and distribution are estimates.',
  }),
  unreadable: z
    .number()
    .meta({ description: 'Fields whose value is no count; they are in no other figure.' }),
  distribution: z
    .array(z.object({ from: z.number(), to: z.number(), ips: z.number() }))
    .meta({ description: 'Fields by requests, from ≤ requests < to; without gaps, lightest first.' }),
  threshold: z.number(),
  periodSeconds: z.number().meta({ description: 'As configured.' }),
  periodEndsAt: isoTime.nullable().meta({
    description: 'When the collector next deletes the map, from the deletions seen; null: not known.',
  }),
  periodEnds: z.array(isoTime).meta({ description: 'The ends of the past periods of `items[].periods`.' }),
  watchedSince: isoTime.nullable().meta({ description: 'Since when the console samples this map.' }),
  inForceWithinSeconds: z.number(),
  sampledAt: isoTime.meta({
    description: 'When the map was read; readers share a reading for a few seconds.',
  }),
  problem: z.string().nullable().meta({ description: 'Why the map cannot be read: its key is no hash.' }),
});
export type IpTraffic = z.output<typeof ipTraffic>;

export const guardPoint = z.object({
  at: isoTime,
  blockedProjects: z.number().nullable(),
  blacklistedIps: z.number().nullable(),
  limitedProjects: z.number().nullable(),
});
export type GuardPoint = z.output<typeof guardPoint>;

const MAX_POINTS = 11_000;

export const trafficContracts = {
  ipsTop: contract({
    id: 'guard.ips.top',
    method: 'GET',
    path: `${base}/ips`,
    permission: 'guard:view',
    summary:
      'Callers by requests descending, of the current period or since the beginning, and how requests spread. Each page is read anew: who moved meanwhile may come twice or be passed over.',
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
      'Blocked projects, blacklisted addresses and limited projects over time. A span nobody observed has no point.',
    input: z
      .strictObject({ from: isoTime, to: isoTime, stepSeconds: queryInteger(1, 86_400).default(60) })
      .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
        path: ['from'],
        message: '`from` must be before `to`.',
      })
      .refine(
        ({ from, to, stepSeconds }) => (Date.parse(to) - Date.parse(from)) / 1000 / stepSeconds <= MAX_POINTS,
        { path: ['stepSeconds'], message: `That is more than ${MAX_POINTS} points: choose a larger step.` },
      ),
    result: z.object({ points: z.array(guardPoint), stepSeconds: z.number() }),
  }),
};

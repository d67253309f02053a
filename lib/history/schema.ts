import { z } from 'zod';
import { contract, isoTime, noInput, queryBoolean, queryInteger } from '@/lib/contract';

/** One span of measured time. Rates are per second; `null` where nothing was observed. */
export const point = z.object({
  at: isoTime,
  hits: z.number().meta({ description: "Keyspace hits in the span, without the console's own." }),
  misses: z.number(),
  hitRate: z.number().nullable(),
  opsPerSecond: z.number(),
  usedMemoryBytes: z.number(),
  connectedClients: z.number(),
  evictedPerSecond: z.number(),
  expiredPerSecond: z.number(),
  netInBytesPerSecond: z.number(),
  netOutBytesPerSecond: z.number(),
  latencyMs: z.number().nullable(),
});
export type Point = z.output<typeof point>;

export const EVENT_KINDS = [
  'restart',
  'failover',
  'node-added',
  'node-removed',
  'outage',
  'recovered',
  'invalidation',
  'counters-reset',
  'flag',
  'variable',
  'annotation',
  'eviction',
  'expiry',
] as const;

export const historyEvent = z.object({
  at: isoTime,
  kind: z.enum(EVENT_KINDS),
  text: z.string(),
  auditId: z.string().nullable(),
  href: z
    .string()
    .nullable()
    .meta({ description: 'A page about it: http or https. Only annotations have one.' }),
  family: z.string().nullable().meta({ description: 'The family id it concerns, where it concerns one.' }),
});
export type HistoryEvent = z.output<typeof historyEvent>;

/** Input fields for a range of time in steps. */
export const spanInput = {
  from: isoTime,
  to: isoTime,
  stepSeconds: queryInteger(1, 86_400).default(10),
};

/** The requested range. */
export interface Span {
  from: string;
  to: string;
  stepSeconds: number;
}

const MAX_POINTS = 11_000;

const isOrdered = (input: Pick<Span, 'from' | 'to'>): boolean =>
  Date.parse(input.from) < Date.parse(input.to);

const isReadable = (input: Span): boolean =>
  (Date.parse(input.to) - Date.parse(input.from)) / 1000 / input.stepSeconds <= MAX_POINTS;

/** Rules of a range, for `refine`. */
export const SPAN_LIMITS = {
  order: [isOrdered, { path: ['from'], message: '`from` must be before `to`.' }],
  points: [
    isReadable,
    { path: ['stepSeconds'], message: 'That is more than 11000 points: choose a larger step.' },
  ],
} satisfies Record<string, [(input: never) => boolean, { path: string[]; message: string }]>;

export const historyContracts = {
  series: contract({
    id: 'history.series',
    method: 'GET',
    path: '/api/v1/connections/{connection}/history/series',
    permission: 'view',
    summary: 'History of one Redis. A span without samples has no point.',
    input: z
      .strictObject({
        ...spanInput,
        compare: queryBoolean
          .default(false)
          .meta({ description: 'Also the period before, of the same length.' }),
      })
      .refine(...SPAN_LIMITS.order)
      .refine(...SPAN_LIMITS.points),
    result: z.object({
      points: z.array(point),
      events: z.array(historyEvent),
      stepSeconds: z.number(),
      before: z
        .object({ from: isoTime, to: isoTime, points: z.array(point), stepSeconds: z.number() })
        .nullable()
        .meta({ description: 'The period before, at its own times; null unless `compare`.' }),
    }),
  }),
  export: contract({
    id: 'history.export',
    method: 'GET',
    path: '/api/v1/connections/{connection}/history/export',
    download: true,
    permission: 'view',
    summary: 'The same history as CSV or JSON.',
    input: z
      .strictObject({ ...spanInput, format: z.enum(['csv', 'json']).default('csv') })
      .refine(...SPAN_LIMITS.order)
      .refine(...SPAN_LIMITS.points),
    result: z.string(),
  }),
  stream: contract({
    id: 'history.stream',
    method: 'GET',
    path: '/api/v1/connections/{connection}/history/stream',
    permission: 'view',
    summary: 'A `point` every second, or a `gap` while Redis or the store is unreachable (`of` says which).',
    input: noInput,
    result: point,
    stream: true,
  }),
};

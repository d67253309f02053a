import { z } from 'zod';
import { contract, isoTime, noInput, queryInteger } from '@/lib/contract';

/** One span of measured time. Rates are per second; `null` where nothing was counted. */
export const point = z.object({
  at: isoTime,
  hits: z.number().meta({ description: "Keyspace hits in the span, the console's own taken out." }),
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

export const EVENT_KINDS = ['restart', 'outage', 'recovered', 'invalidation', 'counters-reset'] as const;

export const historyEvent = z.object({
  at: isoTime,
  kind: z.enum(EVENT_KINDS),
  text: z.string(),
  auditId: z.string().nullable(),
});
export type HistoryEvent = z.output<typeof historyEvent>;

export const metricContracts = {
  series: contract({
    id: 'metrics.series',
    method: 'GET',
    path: '/api/v1/connections/{connection}/metrics/series',
    permission: 'view',
    summary: 'History of one Redis. A span in which nothing was sampled has no point.',
    input: z
      .strictObject({
        from: isoTime,
        to: isoTime,
        stepSeconds: queryInteger(1, 86_400).default(10),
      })
      .refine((input) => Date.parse(input.from) < Date.parse(input.to), {
        path: ['from'],
        message: '`from` must be before `to`.',
      })
      .refine(
        (input) => (Date.parse(input.to) - Date.parse(input.from)) / 1000 / input.stepSeconds <= 11_000,
        {
          path: ['stepSeconds'],
          message: 'That is more than 11000 points: choose a larger step.',
        },
      ),
    result: z.object({ points: z.array(point), events: z.array(historyEvent), stepSeconds: z.number() }),
  }),
  stream: contract({
    id: 'metrics.stream',
    method: 'GET',
    path: '/api/v1/connections/{connection}/metrics/stream',
    permission: 'view',
    summary: 'A `point` every second; `gap` while the Redis or the store is out of reach.',
    input: noInput,
    result: point,
    stream: true,
  }),
};

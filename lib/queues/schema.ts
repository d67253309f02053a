import { z } from 'zod';
import { contract, isoTime, pageInput, pageInputOf, pageOf, queryInteger } from '@/lib/contract';
import { SPAN_LIMITS, spanInput } from '@/lib/history/schema';
import { keyIdText, listedKey, listedPage, shownBytes, streamGroup } from '@/lib/key-values/schema';

export const ENDS = ['head', 'tail'] as const;
export type End = (typeof ENDS)[number];

/** One element that waits. */
const entry = z.object({
  value: shownBytes.nullable().meta({
    description: 'At most 512 bytes of the element or member; null for an entry of a stream.',
  }),
  fields: z
    .array(z.object({ field: shownBytes, value: shownBytes }))
    .nullable()
    .meta({ description: 'The first fields of an entry of a stream.' }),
  entryId: z.string().nullable(),
  score: z.string().nullable().meta({ description: 'Of a sorted set, as Redis writes it.' }),
  at: isoTime.nullable().meta({
    description: 'When it was added: by a time in its JSON, by its score, or by the id of the entry.',
  }),
  ageSeconds: z.number().nullable(),
});
export type QueueEntry = z.output<typeof entry>;

const rates = {
  inPerSecond: z.number().nullable().meta({
    description: 'Added a second, over the last minute at most; null where it was not sampled.',
  }),
  outPerSecond: z.number().nullable().meta({ description: 'Taken or removed a second.' }),
  ratesAreAtLeast: z.boolean().meta({ description: 'Both rates are lower bounds.' }),
};

const problem = z.enum(['wrongType', 'unreadable']).nullable();

const queue = listedKey.extend({
  length: z.number().nullable().meta({
    description:
      '0 for a queue that was seen and is empty now. Of a stream with groups: what the group that is furthest behind has not been given or has not acknowledged; null where that is not known.',
  }),
  entries: z.number().optional().meta({ description: 'Of a stream: all its entries, finished or not.' }),
  groups: z
    .array(streamGroup)
    .nullable()
    .optional()
    .meta({ description: 'Of a stream, at most 50; null where the Redis user may not ask for them.' }),
  oldest: z
    .object({ at: isoTime.nullable(), ageSeconds: z.number().nullable(), preview: entry })
    .nullable()
    .meta({ description: 'null for an empty queue. Of a list the element at `oldestAt`.' }),
  oldestAt: z.enum(ENDS).meta({ description: 'The end with the oldest element: `head` unless observed.' }),
  takenFrom: z.enum(ENDS).nullable().meta({ description: 'Observed; null where it was not.' }),
  ...rates,
  due: z.number().nullable().meta({ description: 'Delayed tasks whose time has come; null for others.' }),
  nextDueAt: isoTime.nullable(),
  peek: z.array(entry).meta({ description: 'The first three from the end with the oldest.' }),
  problem,
});
export type Queue = z.output<typeof queue>;

const point = z.object({ at: isoTime, length: z.number(), ...rates });

const MAX_PEEKED = 50;

const base = '/api/v1/connections/{connection}/queues';

export const queueContracts = {
  list: contract({
    id: 'queues.list',
    method: 'GET',
    path: base,
    permission: 'live:view',
    summary:
      'Lists, sorted sets of delayed tasks, and streams with work that waits, by name: length, oldest, rates.',
    input: z.strictObject({
      q: z.string().max(200).optional().meta({ description: 'Part of the key as it is shown.' }),
      keyId: keyIdText.optional().meta({ description: 'Only this queue, also where it is empty.' }),
      ...pageInput,
    }),
    result: pageOf(queue).extend(listedPage),
  }),
  peek: contract({
    id: 'queues.peek',
    method: 'GET',
    path: `${base}/peek`,
    permission: 'live:view',
    summary: `Elements of a queue from one of its ends, at most ${MAX_PEEKED}.`,
    input: z.strictObject({
      keyId: keyIdText,
      from: z.enum(ENDS).default('head'),
      ...pageInputOf(10),
    }),
    result: pageOf(entry).extend({
      type: z.string(),
      length: z.number().nullable().meta({ description: '0 where the queue is empty.' }),
      problem,
    }),
  }),
  series: contract({
    id: 'queues.series',
    method: 'GET',
    path: `${base}/series`,
    permission: 'live:view',
    summary: 'Length and rates of a queue over time. A span without samples has no point.',
    input: z
      .strictObject({ keyId: keyIdText, ...spanInput, stepSeconds: queryInteger(1, 86_400).default(10) })
      .refine(...SPAN_LIMITS.order)
      .refine(...SPAN_LIMITS.points),
    result: z.object({ stepSeconds: z.number(), points: z.array(point) }),
  }),
};

/** The largest page of `queues.peek`, whatever the limit. */
export const PEEK_LIMIT = MAX_PEEKED;

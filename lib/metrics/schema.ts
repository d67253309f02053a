import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  pageInput,
  pageOf,
  queryBoolean,
  queryInteger,
  shortListInput,
} from '@/lib/contract';
import { SPAN_LIMITS, spanInput } from '@/lib/history/schema';

/** Pins of one user on one connection. */
export const MAX_PINS = 12;
/** Fields of one key of statistics in an answer. */
export const MAX_FIELDS = 100;

/** `secret`: by its name, or as the catalog says. `notPermitted`: our Redis user may not read the key. */
export const METRIC_PROBLEMS = [
  'gone',
  'wrongType',
  'notANumber',
  'tooLong',
  'tooManyFields',
  'secret',
  'notPermitted',
] as const;
export type MetricProblem = (typeof METRIC_PROBLEMS)[number];

export const KINDS = ['metric', 'stats'] as const;
export type MetricKind = (typeof KINDS)[number];

const figure = {
  value: z.number().nullable().meta({ description: 'null where it is no number, or not known.' }),
  text: z.string().nullable().meta({
    description:
      'The digits of a number that `value` rounds. The beginning of a value that is no number, masked: null without the permission keys:view, and where it is a secret.',
  }),
  problem: z.enum(METRIC_PROBLEMS).nullable(),
};

/** The console's own samples in equal steps, oldest first; null where there is none. */
const series = z.array(z.number().nullable());

const field = z.object({
  fieldId: z.string(),
  field: z.string(),
  ...figure,
  series: series.optional(),
});
export type MetricField = z.output<typeof field>;

const named = {
  keyId: z.string(),
  key: z.string(),
  kind: z.enum(KINDS),
  name: z.string(),
  period: z.string(),
  group: z.string().meta({ description: 'The same for all periods of one name and kind.' }),
};

const item = z.object({
  ...named,
  ...figure,
  fields: z
    .array(field)
    .nullable()
    .meta({ description: `Of \`stats\`: at most ${MAX_FIELDS}, in the order of their names. Else null.` }),
  ttlSeconds: z.number().nullable(),
  series: series.optional(),
});
export type MetricItem = z.output<typeof item>;

const pinned = z.object({
  id: z.string(),
  ...named,
  field: z.string().nullable(),
  fieldId: z.string().nullable(),
  ...figure,
  ttlSeconds: z.number().nullable(),
  series,
  pinnedAt: isoTime,
});
export type PinnedMetric = z.output<typeof pinned>;

const base = '/api/v1/connections/{connection}/metrics';

/** A key has an id, because a name need not be text and two kinds may have the same one. */
const target = {
  keyId: z.string().min(1).max(12_000),
  fieldId: z.string().min(1).max(50).optional().meta({ description: 'Required for `stats`.' }),
};

const sampled = {
  stepSeconds: z.number().meta({ description: 'The distance of two values of a `series`.' }),
};

export const metricContracts = {
  list: contract({
    id: 'metrics.application',
    method: 'GET',
    path: base,
    permission: 'view',
    summary:
      "The application's own figures: metrics and statistics by name and period, with their values now and the console's samples of the last minutes.",
    input: z.strictObject({
      ...pageInput,
      q: z.string().max(200).optional().meta({ description: 'A part of the name or period, without case.' }),
      withSeries: queryBoolean.default(false),
    }),
    result: pageOf(item).extend({
      ...sampled,
      complete: z.boolean().meta({
        description: 'false where there are more keys than are listed, or the first scan still runs.',
      }),
      scanned: z.boolean().meta({ description: 'false while the first scan still runs.' }),
      sampledAt: isoTime,
    }),
  }),
  series: contract({
    id: 'metrics.applicationSeries',
    method: 'GET',
    path: `${base}/series`,
    permission: 'view',
    summary:
      "One figure over time, from the console's own samples. A span without samples has no point; a metric that starts again is shown as it is.",
    input: z
      .strictObject({ ...target, ...spanInput, stepSeconds: queryInteger(1, 86_400).default(10) })
      .refine(...SPAN_LIMITS.order)
      .refine(...SPAN_LIMITS.points),
    result: z.object({
      points: z.array(z.object({ at: isoTime, value: z.number() })),
      stepSeconds: z.number(),
    }),
  }),
  pinned: contract({
    id: 'metrics.pinned',
    method: 'GET',
    path: `${base}/pins`,
    permission: 'view',
    summary:
      "The caller's pins in the order of pinning, with their values now. An API token has those of its user.",
    input: z.strictObject({ ...shortListInput }),
    result: pageOf(pinned).extend(sampled),
  }),
  pin: contract({
    id: 'metrics.pin',
    method: 'POST',
    path: `${base}/pins`,
    touches: ['metrics.pinned'],
    permission: 'view',
    summary: `Pins a figure to the caller's own overview; at most ${MAX_PINS}. Pinning it again changes nothing.`,
    input: changeInput(target),
    result: changeResult({ id: z.string() }),
    status: 201,
  }),
  unpin: contract({
    id: 'metrics.unpin',
    method: 'DELETE',
    path: `${base}/pins/{id}`,
    touches: ['metrics.pinned'],
    permission: 'view',
    summary: "Takes a figure off the caller's own overview.",
    input: changeInput({ id: z.string().min(1).max(50) }),
    result: changeResult({ id: z.string() }),
  }),
};

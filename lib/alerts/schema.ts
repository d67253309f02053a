import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  pageInput,
  pageOf,
  queryBoolean,
} from '@/lib/contract';
import { CHANNEL_KINDS, etag, id, MAX_CHANNELS, oneLine } from './channels/schema';

export const MAX_RULES = 200;
/** Series of a rule that are watched; further ones are counted and left out. */
export const MAX_SERIES = 100;
const DAY_SECONDS = 86_400;

export const CONDITIONS = ['above', 'below', 'change'] as const;
export const SEVERITIES = ['critical', 'warning'] as const;
export const ENDED_BY = ['value', 'noData', 'notComparable', 'ruleChanged', 'ruleDeleted'] as const;
export type EndedBy = (typeof ENDED_BY)[number];

const labels = z.record(z.string().min(1).max(100), z.string().max(500));
const seconds = (max: number) => z.number().int().min(0).max(max);

const source = z.strictObject({
  metric: z.string().min(1).max(200).meta({ description: 'The name of a figure, as `figures.list` has it.' }),
  labels: labels.default({}).meta({
    description: 'Values of labels. Without a label each of its values is watched by itself.',
  }),
});

const terms = {
  source,
  condition: z.enum(CONDITIONS),
  value: z.number().meta({
    description:
      'The limit, of a ratio 0.8 for 80 %. For `change`: a rise of more than this if positive, a fall of more than this if negative.',
  }),
  windowSeconds: seconds(DAY_SECONDS).default(600).meta({
    description:
      'For `change`: the value now is compared with that of this long ago, or up to a sixth longer; without one it is not known. 60 or more.',
  }),
  changeIn: z.enum(['absolute', 'percent']).default('absolute').meta({
    description: 'For `change`: the unit of `value`. A percentage of 0 is not known.',
  }),
  forSeconds: seconds(DAY_SECONDS).default(0).meta({ description: 'How long it must hold before it fires.' }),
  clear: z.number().nullable().default(null).meta({
    description: 'It resolves when the value is back at this limit or beyond it; null: at `value`.',
  }),
  clearForSeconds: seconds(DAY_SECONDS)
    .default(0)
    .meta({ description: 'How long the value must be back before it resolves.' }),
  onNoData: z.enum(['keep', 'alert']).default('keep').meta({
    description:
      '`alert`: it also fires after `forSeconds`, and at least a minute, without any value of the figure.',
  }),
};

/** What a rule watches and when it fires. */
export const ruleTerms = z.strictObject(terms);

/** What a rule says, as it is created, changed and stored. */
export const ruleFields = {
  name: oneLine(100),
  description: z.string().trim().max(500).default(''),
  severity: z.enum(SEVERITIES).default('warning'),
  ...terms,
  channels: z.array(id).max(MAX_CHANNELS).default([]).meta({ description: 'Ids of channels.' }),
};

const silence = z.object({
  series: z.string().nullable().meta({ description: 'null: all series of the rule.' }),
  labels: labels.nullable().meta({
    description: 'Of the series. null for all series, for one that is gone, and if hidden.',
  }),
  until: isoTime,
  reason: z.string(),
  by: z.string(),
});

export const SERIES_STATES = ['firing', 'pending', 'noData', 'ok'] as const;

const series = z.object({
  id: z.string(),
  labels: labels.nullable().meta({ description: 'null for callers who may not see the figure.' }),
  state: z.enum(SERIES_STATES),
  since: isoTime.nullable(),
  value: z.number().nullable().meta({ description: 'What is compared, now; for `change` the change.' }),
  noDataSince: isoTime.nullable().meta({
    description: 'A firing series without a value for ten minutes ends while its figure has others.',
  }),
  silenced: z.boolean(),
});
export type AlertSeries = z.output<typeof series>;

const channelKind = z.enum(CHANNEL_KINDS).nullable().meta({ description: 'null: the channel was deleted.' });
const channelRef = z.object({ id: z.string(), name: z.string(), kind: channelKind });

const href = z.string().nullable().meta({
  description:
    'The page of what it watches, inside the console. null for callers who may not see the figure.',
});

const rule = z.object({
  ...ruleFields,
  source: z.object({ metric: z.string(), labels: labels.nullable() }),
  id: z.string(),
  unit: z.string().nullable().meta({ description: 'Of the figure; null while no domain has it.' }),
  channels: z.array(channelRef),
  state: z.enum(SERIES_STATES).meta({ description: 'The most urgent of its series.' }),
  since: isoTime.nullable(),
  current: z.number().nullable().meta({ description: 'Of the series nearest to the limit, or beyond it.' }),
  series: z.array(series).meta({ description: 'Those that are not ok, and the only one of a rule.' }),
  seriesCount: z.number().int(),
  seriesSkipped: z
    .number()
    .int()
    .meta({ description: `Beyond the first ${MAX_SERIES}: not watched.` }),
  silences: z.array(silence),
  href,
  createdBy: z.string(),
  changedAt: isoTime,
  etag: z.string(),
});
export type AlertRule = z.output<typeof rule>;

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

const delivery = z.object({
  channel: z.string(),
  kind: channelKind,
  event: z.enum(['firing', 'resolved']),
  state: z.enum(DELIVERY_STATES),
  attempts: z.number().int(),
  at: isoTime.nullable().meta({ description: 'Of the last attempt.' }),
  nextAt: isoTime.nullable(),
  error: z.string().nullable(),
});
export type AlertDelivery = z.output<typeof delivery>;

const historyItem = z.object({
  id: z.string(),
  ruleId: z.string(),
  name: z.string(),
  severity: z.enum(SEVERITIES),
  metric: z.string(),
  unit: z.string().nullable(),
  labels: labels.nullable(),
  firedAt: isoTime,
  resolvedAt: isoTime.nullable(),
  endedBy: z.enum(ENDED_BY).nullable().meta({
    description:
      '`noData`: it had no value for ten minutes, while others of its figure did. `notComparable`: for ten minutes nothing was known to compare its value with.',
  }),
  value: z.number().nullable().meta({ description: 'When it fired. null without data, or if hidden.' }),
  resolvedValue: z.number().nullable(),
  silenced: z.boolean().meta({ description: 'A silence holds back, or held back, its delivery.' }),
  deliveries: z.array(delivery),
  href,
});
export type AlertEvent = z.output<typeof historyItem>;

const base = '/api/v1/connections/{connection}/alerts';

export const alertContracts = {
  list: contract({
    id: 'alerts.list',
    method: 'GET',
    path: base,
    permission: 'view',
    summary: 'Alert rules with their state: firing first, then by name. Hidden values are null.',
    input: z.strictObject({
      q: z.string().max(200).optional().meta({ description: 'Part of the name or metric.' }),
      state: z.enum(SERIES_STATES).optional(),
      ...pageInput,
    }),
    result: pageOf(rule).extend({
      counts: z.record(z.enum(SERIES_STATES), z.number()).meta({ description: 'Rules by state.' }),
      evaluatedAt: isoTime.nullable().meta({ description: 'null while no process evaluates.' }),
    }),
  }),
  history: contract({
    id: 'alerts.history',
    method: 'GET',
    path: `${base}/history`,
    permission: 'view',
    summary: 'Alerts that fired, newest first, with their deliveries: the last 5000 of 90 days.',
    input: z.strictObject({ rule: id.optional(), open: queryBoolean.optional(), ...pageInput }),
    result: pageOf(historyItem),
  }),
  preview: contract({
    id: 'alerts.preview',
    method: 'POST',
    path: `${base}/preview`,
    permission: 'users:manage',
    summary: 'When a rule would have fired in the last seven days, by the stored history of its figure.',
    input: ruleTerms,
    result: z.object({
      from: isoTime,
      to: isoTime,
      values: z
        .array(z.object({ at: isoTime, value: z.number() }))
        .nullable()
        .meta({
          description: 'Averages for a chart, a tenth of them; null: no history of the figure is kept.',
        }),
      valueSeconds: z.number().meta({ description: 'The time that a value of `values` covers.' }),
      stepSeconds: z.number().meta({
        description: 'The rule is evaluated by averages of this length: what was shorter is not seen.',
      }),
      count: z.number().meta({ description: 'How often it would have fired.' }),
      fired: z
        .array(z.object({ at: isoTime, until: isoTime.nullable() }))
        .meta({ description: 'The last hundred times.' }),
    }),
  }),
  create: contract({
    id: 'alerts.create',
    method: 'POST',
    path: base,
    touches: ['alerts', 'overview'],
    permission: 'users:manage',
    status: 201,
    summary: 'Creates an alert rule.',
    input: changeInput(ruleFields),
    result: changeResult({ id: z.string(), etag: z.string() }),
  }),
  update: contract({
    id: 'alerts.update',
    method: 'PUT',
    path: `${base}/{id}`,
    touches: ['alerts', 'overview'],
    permission: 'users:manage',
    summary: 'Replaces an alert rule. What fires keeps firing while the new rule selects it.',
    input: changeInput({ id, etag, ...ruleFields }),
    result: changeResult({ id: z.string(), etag: z.string() }),
  }),
  delete: contract({
    id: 'alerts.delete',
    method: 'DELETE',
    path: `${base}/{id}`,
    touches: ['alerts', 'overview'],
    permission: 'users:manage',
    summary: 'Deletes an alert rule. Its alerts end; the history stays.',
    input: changeInput({ id, etag }),
    result: changeResult({ id: z.string() }),
  }),
  silence: contract({
    id: 'alerts.silence',
    method: 'POST',
    path: `${base}/{id}/silence`,
    touches: ['alerts', 'overview'],
    permission: 'users:manage',
    summary: 'Holds back the deliveries of a rule, or of one of its series, until a time.',
    input: changeInput({ id, series: id.optional(), until: isoTime }),
    result: changeResult({ id: z.string(), until: isoTime }),
  }),
  unsilence: contract({
    id: 'alerts.unsilence',
    method: 'DELETE',
    path: `${base}/{id}/silence`,
    touches: ['alerts', 'overview'],
    permission: 'users:manage',
    summary: 'Ends a silence. What still fires is delivered then.',
    input: changeInput({ id, series: id.optional() }),
    result: changeResult({ id: z.string() }),
  }),
};

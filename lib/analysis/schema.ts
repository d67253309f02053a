import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  jobAccepted,
  noInput,
  pageInput,
  pageOf,
} from '@/lib/contract';
import { walkCost } from '@/lib/walk/schema';

const id = z.string().regex(/^[0-9a-f-]{36}$/, 'This is not the id of an analysis.');

/**
 * Differences from the report `since`; null without one, or where the rows of both cannot be compared. A new or
 * removed row differs by its total.
 */
const change = z.object({ keys: z.number(), memoryBytes: z.number().nullable() }).nullable();

const bytes = z.number().nullable().meta({ description: 'null where MEMORY USAGE is not permitted.' });
const row = { keys: z.number(), memoryBytes: bytes, change };

const bin = z.object({
  from: z.number().meta({ description: 'Included.' }),
  to: z.number().nullable().meta({ description: 'Excluded; null for the last bin.' }),
  keys: z.number(),
});
export type HistogramBin = z.output<typeof bin>;

/** A distribution; percentiles are the upper bounds of fine bins, at most 10 % above the value. */
const distribution = z.object({
  of: z.number().meta({ description: 'Keys it was measured of.' }),
  p50: z.number(),
  p99: z.number(),
  max: z.number(),
  histogram: z.array(bin),
});
export type Distribution = z.output<typeof distribution>;

const lengths = z.object({
  bytes: distribution.nullable().meta({ description: 'Of strings.' }),
  elements: distribution.nullable().meta({ description: 'Of everything else.' }),
});

const withoutTtl = z.number().nullable().meta({ description: 'null where PTTL is not permitted.' });

const biggestKey = z.object({
  key: z.string(),
  keyId: z.string(),
  family: z.string().nullable(),
  type: z.string(),
  memoryBytes: z.number(),
  length: z.number().nullable(),
  ttlSeconds: z
    .number()
    .nullable()
    .optional()
    .meta({ description: 'null without a TTL; absent where it could not be read.' }),
});
export type BiggestKey = z.output<typeof biggestKey>;

const familyAnalysis = z.object({
  family: z.string(),
  app: z.string(),
  title: z.string(),
  pattern: z.string(),
  ...row,
  withoutTtl,
  types: z.record(z.string(), z.number()),
  encodings: z.record(z.string(), z.number()),
  ttl: z.object({
    min: z.number().nullable().meta({ description: 'Seconds; null where no key has a TTL.' }),
    max: z.number().nullable(),
    histogram: z.array(bin).meta({ description: 'By seconds that remain.' }),
  }),
  size: distribution.nullable().meta({ description: 'Bytes of memory per key.' }),
  lengths,
  idle: distribution
    .nullable()
    .meta({ description: 'Seconds since the last use; null under an LFU policy.' }),
  biggest: z.array(biggestKey),
});
export type FamilyAnalysis = z.output<typeof familyAnalysis>;

export const summary = z.object({
  id: z.string(),
  at: isoTime,
  complete: z.boolean(),
  exact: z.boolean().meta({
    description:
      'Memory and lengths from all elements of all keys; false: as the server estimates it from samples.',
  }),
  keys: z.number(),
  memoryBytes: bytes,
  families: z.number(),
  unclassified: z.number().meta({ description: 'Keys without a family.' }),
  scheduled: z.boolean(),
  share: z.number().meta({ description: 'How much of the keyspace was read, 0–1; 1 where it is complete.' }),
  resumable: z.boolean().meta({ description: 'Stopped half-way, and can go on from there.' }),
});
export type AnalysisSummary = z.output<typeof summary>;

export const analysisReport = summary.extend({
  change,
  since: isoTime.nullable().meta({ description: 'The time of the report that it is compared with.' }),
  withoutTtl,
  detailed: z.number().meta({
    description:
      'Keys whose encoding, length and idle time were read: the first 100 000, and one in 16 of the others unless `exact`. ' +
      'Keys by encoding are projected from them.',
  }),
  byType: z.array(z.object({ type: z.string(), ...row })),
  byEncoding: z.array(z.object({ encoding: z.string(), type: z.string(), ...row })),
  families: z
    .array(familyAnalysis)
    .meta({ description: 'Most memory first; families of the console not included.' }),
  malformed: z.object({ keys: z.number(), memoryBytes: bytes }).meta({
    description: 'Keys that begin like a family and do not match it; also part of `unclassified`.',
  }),
  own: z.object({ keys: z.number(), memoryBytes: bytes }).meta({
    description: "The console's own keys, where its store is in this database; in no other figure.",
  }),
  biggest: z.array(biggestKey).meta({ description: 'The biggest keys of each type.' }),
  expiries: z.array(z.object({ from: isoTime, to: isoTime, keys: z.number() })).meta({
    description: 'When keys expire; wider spans the later it is.',
  }),
  ttl: z.array(bin).meta({ description: 'All keys with a TTL, by seconds that remain.' }),
  size: distribution.nullable(),
  lengths,
  idle: distribution.nullable(),
  unclassified: z.array(z.object({ prefix: z.string(), sample: z.array(z.string()), ...row })),
  walk: walkCost.nullable(),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Why it is not complete, or what could not be measured.' }),
});
export type AnalysisReport = z.output<typeof analysisReport>;

/** Result of the job of `analysis.start`. */
export const analysisResult = summary.pick({
  id: true,
  keys: true,
  memoryBytes: true,
  families: true,
  unclassified: true,
  complete: true,
  exact: true,
});
export type AnalysisResult = z.output<typeof analysisResult>;

export const SCHEDULES = ['off', 'hourly', 'daily', 'weekly'] as const;
export const schedule = z.object({
  every: z.enum(SCHEDULES),
  at: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected a time such as 03:00.')
    .meta({ description: 'UTC; of `hourly` the minutes count, and `weekly` is on Mondays.' }),
});
export type Schedule = z.output<typeof schedule>;

const base = '/api/v1/connections/{connection}/analysis';

export const analysisContracts = {
  start: contract({
    id: 'analysis.start',
    method: 'POST',
    path: base,
    touches: ['jobs.list'],
    permission: 'analysis:run',
    status: 202,
    summary: 'Analyses all keys, as a job: a report by type, family, TTL, size. Nothing is changed.',
    input: changeInput({
      exact: z.boolean().optional().meta({ description: 'Measures every element: slower, and reads more.' }),
      resume: id
        .optional()
        .meta({ description: 'An analysis that stopped half-way: it goes on from there.' }),
    }),
    result: jobAccepted,
  }),
  list: contract({
    id: 'analysis.list',
    method: 'GET',
    path: base,
    permission: 'view',
    summary: 'Analyses, newest first.',
    input: z.strictObject({ ...pageInput }),
    result: pageOf(summary),
  }),
  get: contract({
    id: 'analysis.get',
    method: 'GET',
    path: `${base}/{id}`,
    permission: 'view',
    summary: 'One analysis; with `since`, compared with an earlier one.',
    input: z.strictObject({ id, since: id.optional() }),
    result: analysisReport,
  }),
  export: contract({
    id: 'analysis.export',
    method: 'GET',
    path: `${base}/{id}/export`,
    download: true,
    permission: 'view',
    summary: 'One analysis as JSON, or its rows as CSV; with `since`, compared with an earlier one.',
    input: z.strictObject({ id, since: id.optional(), format: z.enum(['csv', 'json']).default('csv') }),
    result: z.string(),
  }),
  scheduleGet: contract({
    id: 'analysis.schedule.get',
    method: 'GET',
    path: `${base}/schedule`,
    permission: 'view',
    summary: 'How often this connection is analysed by itself.',
    input: noInput,
    result: schedule.extend({ nextAt: isoTime.nullable() }),
  }),
  scheduleSet: contract({
    id: 'analysis.schedule.set',
    method: 'PUT',
    path: `${base}/schedule`,
    touches: ['analysis.schedule'],
    permission: 'analysis:run',
    summary: 'Sets how often this connection is analysed by itself.',
    input: changeInput(schedule.shape),
    result: changeResult({ ...schedule.shape, nextAt: isoTime.nullable() }),
  }),
};

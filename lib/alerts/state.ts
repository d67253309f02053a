import 'server-only';
import { z } from 'zod';
import { MINUTE, SECOND } from '@/lib/time';

export const EVALUATION_MS = 5 * SECOND;
/** Without an evaluation, or a value, for longer than this, what was pending begins again. */
export const GAP_MS = 6 * EVALUATION_MS;
/** A rule that fires without data waits at least this long: a sampler that starts has no values yet. */
export const MIN_NO_DATA_MS = MINUTE;
/** A firing series without a value for this long ends while its figure has other values. */
export const NO_DATA_ENDS_MS = 10 * MINUTE;

const seriesState = z.object({
  labels: z.record(z.string(), z.string()),
  phase: z.enum(['ok', 'pending', 'firing']),
  /** When the phase began, epoch ms. */
  since: z.number(),
  /** Since when the value of a firing series is back; null while it is not. */
  clearSince: z.number().nullable(),
  /** Since when it has no value, or for `change` none to compare with. */
  noDataSince: z.number().nullable(),
  /** The id of the alert that fires. */
  alert: z.string().nullable(),
  /** For `change`: [epoch ms, value], oldest first. */
  samples: z.array(z.tuple([z.number(), z.number()])),
});
export type SeriesState = z.output<typeof seriesState>;

/** What is remembered of a rule between evaluations. A series that is ok and has no samples is not. */
export const ruleState = z.object({
  /** What the states are of: a rule that watches another figure begins again. */
  metric: z.string(),
  series: z.record(z.string(), seriesState),
  /** Since when no series has a value. */
  noDataSince: z.number().nullable(),
});
export type RuleState = z.output<typeof ruleState>;

export const emptyState = (metric: string): RuleState => ({ metric, series: {}, noDataSince: null });

export const startedAt = (labels: Readonly<Record<string, string>>, now: number): SeriesState => ({
  labels: { ...labels },
  phase: 'ok',
  since: now,
  clearSince: null,
  noDataSince: null,
  alert: null,
  samples: [],
});

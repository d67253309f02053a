import 'server-only';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Figure } from '@/lib/figures/figure';
import { SECOND } from '@/lib/time';
import { MAX_SERIES } from './schema';
import type { StoredRule } from './stored-rule';

/** Values remembered for a change: so many per window. */
const SAMPLES = 12;

const seriesState = z.object({
  labels: z.record(z.string(), z.string()),
  phase: z.enum(['ok', 'pending', 'firing']),
  /** When the phase began, epoch ms. */
  since: z.number(),
  /** Since when the value of a firing series is back; null while it is not. */
  clearSince: z.number().nullable(),
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

/** The series of a rule that fires because there are no data. */
export const NO_DATA = 'no-data';
const ONLY = 'all';

export const seriesIdOf = (labels: Readonly<Record<string, string>>): string => {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return ONLY;
  return createHash('sha256').update(JSON.stringify(entries)).digest('base64url').slice(0, 16);
};

export interface Selected {
  id: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** The series of each figure, in order and by id. */
export type Index = ReadonlyMap<string, { all: readonly Selected[]; byId: ReadonlyMap<string, Selected> }>;

/** Made once for all rules: a digest of labels costs more than all the rest of a rule. */
export const indexOf = (figures: readonly Figure[]): Index => {
  const index = new Map<string, { all: Selected[]; byId: Map<string, Selected> }>();
  for (const { name, labels, value } of figures) {
    const found = index.get(name) ?? { all: [] as Selected[], byId: new Map<string, Selected>() };
    index.set(name, found);
    const series = { id: seriesIdOf(labels), labels, value };
    found.all.push(series);
    found.byId.set(series.id, series);
  }
  return index;
};

/** The series that a rule watches. */
export const select = ({ source }: StoredRule, index: Index): readonly Selected[] => {
  const { all = [], byId } = index.get(source.metric) ?? {};
  const wanted = Object.entries(source.labels);
  if (wanted.length === 0) return all;
  const one = byId?.get(seriesIdOf(source.labels));
  return one ? [one] : all.filter(({ labels }) => wanted.every(([name, value]) => labels[name] === value));
};

/** The first series of a rule; what is pending or firing comes before others, whatever the order of the figures. */
const watchedOf = (selected: readonly Selected[], { series }: RuleState): Map<string, Selected> => {
  const watched = new Map<string, Selected>();
  const isAll = selected.length <= MAX_SERIES;
  const known = isAll ? selected : selected.filter(({ id }) => id in series);
  for (const each of known.slice(0, MAX_SERIES)) watched.set(each.id, each);
  for (let i = 0; !isAll && watched.size < MAX_SERIES; i++) watched.set(selected[i]!.id, selected[i]!);
  return watched;
};

/** Whether it fires above its limit rather than below: a change by the sign of the limit. */
export const isAbove = ({ condition, value }: StoredRule): boolean =>
  condition === 'change' ? value > 0 : condition === 'above';

const isBreached = (rule: StoredRule, value: number): boolean =>
  isAbove(rule) ? value > rule.value : value < rule.value;

const isCleared = (rule: StoredRule, value: number): boolean => {
  const clear = rule.clear ?? rule.value;
  return isAbove(rule) ? value <= clear : value >= clear;
};

/** What is compared with the limit; null while it is not known. */
export const measure = (
  { condition, windowSeconds, changeIn }: StoredRule,
  value: number,
  samples: SeriesState['samples'],
  now: number,
): number | null => {
  if (condition !== 'change') return value;
  const before = samples.findLast(([at]) => at <= now - windowSeconds * SECOND)?.[1];
  if (before === undefined) return null;
  if (changeIn === 'absolute') return value - before;
  return before === 0 ? null : ((value - before) / Math.abs(before)) * 100;
};

/** One sample per step of the window, and the newest of those that are older than it. */
const sampled = (rule: StoredRule, before: SeriesState['samples'], value: number, now: number) => {
  if (rule.condition !== 'change') return [];
  const step = (rule.windowSeconds * SECOND) / SAMPLES;
  const newest = before.at(-1);
  const all: SeriesState['samples'] =
    newest && now - newest[0] < step ? before : [...before, [now, value] as [number, number]];
  const base = all.findLastIndex(([at]) => at <= now - rule.windowSeconds * SECOND);
  return base > 0 ? all.slice(base) : all;
};

export interface Transition {
  event: 'firing' | 'resolved';
  series: string;
  labels: Readonly<Record<string, string>>;
  /** null without data, and where the rule no longer selects the series. */
  value: number | null;
  /** Of the alert that resolves. */
  alert: string | null;
  endedBy: 'value' | 'ruleChanged' | 'ruleDeleted' | null;
}

export interface Evaluation {
  state: RuleState;
  transitions: Transition[];
  /** Series beyond the limit, which are not watched. */
  skipped: number;
}

interface Moment {
  now: number;
  /** Nobody evaluated for a while, so what was pending may not have held all the time. */
  afterGap: boolean;
}

const startedAt = (labels: Selected['labels'], now: number): SeriesState => ({
  ...{ labels: { ...labels }, phase: 'ok', since: now, clearSince: null, noDataSince: null },
  ...{ alert: null, samples: [] },
});

/** The next state of one series with a value. `measured` null: not known, so the phase stays. */
const advance = (
  rule: StoredRule,
  was: SeriesState,
  measured: number | null,
  { now, afterGap }: Moment,
): { state: SeriesState; event: Transition['event'] | null } => {
  const state: SeriesState = { ...was, noDataSince: null };
  if (measured === null) {
    const phase = was.phase === 'pending' ? 'ok' : was.phase;
    return { state: { ...state, phase, clearSince: null }, event: null };
  }
  if (state.phase === 'firing') {
    if (!isCleared(rule, measured)) return { state: { ...state, clearSince: null }, event: null };
    const clearSince = afterGap ? now : (state.clearSince ?? now);
    if (now - clearSince < rule.clearForSeconds * SECOND)
      return { state: { ...state, clearSince }, event: null };
    return { state: { ...state, phase: 'ok', since: now, clearSince: null, alert: null }, event: 'resolved' };
  }
  if (!isBreached(rule, measured)) {
    const since = state.phase === 'ok' ? state.since : now;
    return { state: { ...state, phase: 'ok', since }, event: null };
  }
  const since = state.phase === 'pending' && !afterGap ? state.since : now;
  if (now - since < rule.forSeconds * SECOND)
    return { state: { ...state, phase: 'pending', since }, event: null };
  return { state: { ...state, phase: 'firing', since: now }, event: 'firing' };
};

/** Without any value: fires after `forSeconds` if the rule says so. */
const advanceNoData = (rule: StoredRule, before: RuleState, noDataSince: number | null, now: number) => {
  const was = before.series[NO_DATA];
  const isMissing = noDataSince !== null && rule.onNoData === 'alert';
  if (was && !isMissing) return { state: null, event: 'resolved' as const, alert: was.alert };
  if (was || !isMissing || now - noDataSince < rule.forSeconds * SECOND)
    return { state: was ?? null, event: null, alert: null };
  const state: SeriesState = { ...startedAt({}, now), phase: 'firing', noDataSince };
  return { state, event: 'firing' as const, alert: null };
};

const isRemembered = ({ phase, samples }: SeriesState): boolean => phase !== 'ok' || samples.length > 0;

/** Whether a series that has no value now is still one of the rule. */
const isSelected = ({ source }: StoredRule, labels: SeriesState['labels']): boolean =>
  Object.entries(source.labels).every(([name, value]) => labels[name] === value);

const ended = (
  [series, { labels, alert }]: [string, SeriesState],
  endedBy: Transition['endedBy'],
): Transition => ({ event: 'resolved', series, labels, value: null, alert, endedBy });

/** Ends what fires of a rule that was deleted, or watches something else now. */
export const endAll = ({ series }: RuleState, endedBy: Transition['endedBy']): Transition[] =>
  Object.entries(series)
    .filter(([, { phase }]) => phase === 'firing')
    .map((each) => ended(each, endedBy));

/** Evaluates one rule: pure, so that the same state and values always give the same result. */
export const evaluate = (
  rule: StoredRule,
  stored: RuleState,
  selected: readonly Selected[],
  moment: Moment,
): Evaluation => {
  const { now } = moment;
  const { metric } = rule.source;
  const isOther = stored.metric !== metric;
  const before = isOther ? emptyState(metric) : stored;
  const transitions = isOther ? endAll(stored, 'ruleChanged') : [];
  const series: RuleState['series'] = {};
  const known = watchedOf(selected, before);
  for (const [id, was] of Object.entries(before.series)) {
    if (id === NO_DATA || known.has(id) || was.phase !== 'firing') continue;
    if (isSelected(rule, was.labels)) series[id] = { ...was, noDataSince: was.noDataSince ?? now };
    else transitions.push(ended([id, was], 'ruleChanged'));
  }
  for (const { id, labels, value } of known.values()) {
    const was = before.series[id] ?? startedAt(labels, now);
    const samples = sampled(rule, was.samples, value, now);
    const measured = measure(rule, value, samples, now);
    const { state, event } = advance(rule, { ...was, samples }, measured, moment);
    if (isRemembered(state)) series[id] = state;
    if (event)
      transitions.push({
        ...{ event, series: id, labels, value: measured, alert: was.alert },
        endedBy: event === 'resolved' ? 'value' : null,
      });
  }
  const noDataSince = selected.length > 0 ? null : (before.noDataSince ?? now);
  const missing = advanceNoData(rule, before, noDataSince, now);
  if (missing.state) series[NO_DATA] = missing.state;
  if (missing.event)
    transitions.push({
      ...{ event: missing.event, series: NO_DATA, labels: {}, value: null, alert: missing.alert },
      endedBy: missing.event === 'resolved' ? 'value' : null,
    });
  return {
    state: { metric, series, noDataSince },
    transitions,
    skipped: Math.max(0, selected.length - MAX_SERIES),
  };
};

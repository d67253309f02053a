import 'server-only';
import { SECOND } from '@/lib/time';
import { isBreached, isCleared, measure, sampled } from './compare';
import { type EndedBy, MAX_SERIES } from './schema';
import { type Index, type Selected, select } from './select';
import {
  emptyState,
  GAP_MS,
  MIN_NO_DATA_MS,
  NO_DATA_ENDS_MS,
  type RuleState,
  type SeriesState,
  startedAt,
} from './state';
import type { RuleTerms } from './stored-rule';

/** The series of a rule that fires because there are no data. */
export const NO_DATA = 'no-data';

export interface Transition {
  event: 'firing' | 'resolved';
  series: string;
  labels: Readonly<Record<string, string>>;
  /** null without data, and where the rule no longer selects the series. */
  value: number | null;
  /** The id of the alert that resolves. */
  alert: string | null;
  endedBy: EndedBy | null;
}

export interface Evaluation {
  state: RuleState;
  transitions: Transition[];
}

interface Moment {
  now: number;
  /** Nobody evaluated for a while, so what was pending may not have held all the time. */
  afterGap: boolean;
}

interface Next {
  state: SeriesState;
  event: Transition['event'] | null;
}

/** The next state of one series that can be compared. */
const advance = (rule: RuleTerms, was: SeriesState, measured: number, { now, afterGap }: Moment): Next => {
  const state: SeriesState = { ...was, noDataSince: null };
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

/** The next state of one that cannot: it stays as it is for a while. */
const advanceUnknown = (was: SeriesState, hasOthers: boolean, { now, afterGap }: Moment): Next => {
  const noDataSince = afterGap ? now : (was.noDataSince ?? now);
  const state: SeriesState = { ...was, noDataSince, clearSince: null };
  const unknownMs = now - noDataSince;
  if (was.phase === 'firing' && hasOthers && unknownMs >= NO_DATA_ENDS_MS)
    return { state: { ...state, phase: 'ok', since: now, alert: null }, event: 'resolved' };
  const isOver = was.phase === 'pending' && (afterGap || unknownMs > GAP_MS);
  return { state: isOver ? { ...state, phase: 'ok', since: now } : state, event: null };
};

/** Without any value: fires after `forSeconds`, and at least a minute, if the rule says so. */
const advanceNoData = (
  rule: RuleTerms,
  was: SeriesState | undefined,
  noDataSince: number | null,
  now: number,
) => {
  const isMissing = noDataSince !== null && rule.onNoData === 'alert';
  if (was && !isMissing) return { state: null, event: 'resolved' as const };
  if (was || !isMissing || now - noDataSince < Math.max(rule.forSeconds * SECOND, MIN_NO_DATA_MS))
    return { state: was ?? null, event: null };
  const state: SeriesState = { ...startedAt({}, now), phase: 'firing', noDataSince };
  return { state, event: 'firing' as const };
};

const isRemembered = ({ phase, samples }: SeriesState): boolean => phase !== 'ok' || samples.length > 0;

/** Whether a series that has no value now is still one of the rule. */
const isSelected = ({ source }: RuleTerms, labels: SeriesState['labels']): boolean =>
  Object.entries(source.labels).every(([name, value]) => labels[name] === value);

const ended = (
  [series, { labels, alert }]: [string, SeriesState],
  endedBy: Transition['endedBy'],
): Transition => ({ event: 'resolved', series, labels, value: null, alert, endedBy });

/** Ends what fires of a rule that was deleted, or watches something else now. */
export const endAll = ({ series }: Pick<RuleState, 'series'>, endedBy: Transition['endedBy']): Transition[] =>
  Object.entries(series)
    .filter(([, { phase }]) => phase === 'firing')
    .map((each) => ended(each, endedBy));

interface Watched {
  id: string;
  labels: Selected['labels'];
  /** null: it had one before. */
  value: number | null;
}

/**
 * At most the limit of series: first those that are known, then what still fires without a value, then new ones, then
 * others without a value.
 */
const watchedOf = (
  selected: readonly Selected[],
  before: RuleState['series'],
  absent: readonly [string, SeriesState][],
): Watched[] => {
  if (selected.length <= MAX_SERIES && absent.length === 0) return [...selected];
  const gone = (isFiring: boolean): Watched[] =>
    absent
      .filter(([, { phase }]) => (phase === 'firing') === isFiring)
      .map(([id, { labels }]) => ({ id, labels, value: null }));
  const kept = [...selected.filter(({ id }) => id in before), ...gone(true)];
  const added: Watched[] = [];
  for (let i = 0; i < selected.length && kept.length + added.length < MAX_SERIES; i++)
    if (!(selected[i]!.id in before)) added.push(selected[i]!);
  return [...kept, ...added, ...gone(false)].slice(0, MAX_SERIES);
};

/** Evaluates one rule: pure, so that the same state and values always give the same result. */
export const evaluate = (rule: RuleTerms, stored: RuleState, figures: Index, moment: Moment): Evaluation => {
  const { now, afterGap } = moment;
  const { metric } = rule.source;
  const selected = select(rule, figures);
  const hasOthers = figures.has(metric);
  const isOther = stored.metric !== metric;
  const before = isOther ? emptyState(metric) : stored;
  const transitions = isOther ? endAll(stored, 'ruleChanged') : [];
  const { [NO_DATA]: noData, ...known } = before.series;
  const present = new Set(selected.map(({ id }) => id));
  const gone = Object.entries(known).filter(([id]) => !present.has(id));
  const left = gone.filter(([, { labels }]) => !isSelected(rule, labels));
  transitions.push(...endAll({ series: Object.fromEntries(left) }, 'ruleChanged'));
  const absent = gone.filter(([, { labels }]) => isSelected(rule, labels));
  const series: RuleState['series'] = {};
  for (const { id, labels, value } of watchedOf(selected, known, absent)) {
    const was = known[id] ?? startedAt(labels, now);
    const samples = sampled(rule, was.samples, value, now);
    const measured = value === null ? null : measure(rule, value, samples, now);
    const { state, event } =
      measured === null
        ? advanceUnknown({ ...was, samples }, hasOthers, moment)
        : advance(rule, { ...was, samples }, measured, moment);
    if (isRemembered(state)) series[id] = state;
    const why = measured !== null ? 'value' : value === null ? 'noData' : 'notComparable';
    const endedBy = event === 'resolved' ? why : null;
    if (event) transitions.push({ event, series: id, labels, value: measured, alert: was.alert, endedBy });
  }
  const since = afterGap ? now : (before.noDataSince ?? now);
  const noDataSince = selected.length > 0 ? null : since;
  const { state, event } = advanceNoData(rule, noData, noDataSince, now);
  if (state) series[NO_DATA] = state;
  if (event)
    transitions.push({
      event,
      series: NO_DATA,
      labels: {},
      value: null,
      alert: noData?.alert ?? null,
      endedBy: event !== 'resolved' ? null : rule.onNoData === 'alert' ? 'value' : 'ruleChanged',
    });
  return { state: { metric, series, noDataSince }, transitions };
};

import 'server-only';
import { SECOND } from '@/lib/time';
import type { SeriesState } from './state';
import type { RuleTerms } from './stored-rule';

type Samples = SeriesState['samples'];

/** Values remembered for a change: so many per window. */
const SAMPLES = 12;

const stepOf = ({ windowSeconds }: RuleTerms): number => (windowSeconds * SECOND) / SAMPLES;

/** Whether it fires above its limit rather than below: a change by the sign of the limit. */
export const isAbove = ({ condition, value }: Pick<RuleTerms, 'condition' | 'value'>): boolean =>
  condition === 'change' ? value > 0 : condition === 'above';

export const isBreached = (rule: RuleTerms, value: number): boolean =>
  isAbove(rule) ? value > rule.value : value < rule.value;

export const isCleared = (rule: RuleTerms, value: number): boolean => {
  const clear = rule.clear ?? rule.value;
  return isAbove(rule) ? value <= clear : value >= clear;
};

/** Why the value at which it resolves contradicts the limit; null where it does not. */
export const clearFault = (rule: Pick<RuleTerms, 'condition' | 'value' | 'clear'>): string | null => {
  const { value, clear } = rule;
  const above = isAbove(rule);
  if (clear === null || (above ? clear <= value : clear >= value)) return null;
  return `Must not be ${above ? 'above' : 'below'} the limit: it would resolve while it fires.`;
};

/** The value of the window's length ago, or of up to two steps before; an older one says nothing of the window. */
const baseOf = (rule: RuleTerms, samples: Samples, now: number): number | null => {
  const latest = now - rule.windowSeconds * SECOND;
  const [at, value] = samples.findLast(([at]) => at <= latest) ?? [0, null];
  return at >= latest - 2 * stepOf(rule) ? value : null;
};

/** What is compared with the limit; null while it is not known. */
export const measure = (rule: RuleTerms, value: number, samples: Samples, now: number): number | null => {
  if (rule.condition !== 'change') return value;
  const base = baseOf(rule, samples, now);
  if (base === null) return null;
  if (rule.changeIn === 'absolute') return value - base;
  return base === 0 ? null : ((value - base) / Math.abs(base)) * 100;
};

/** One sample per step of the window, as long as one could be a base; `value` null: there is none now. */
export const sampled = (rule: RuleTerms, before: Samples, value: number | null, now: number): Samples => {
  if (rule.condition !== 'change') return [];
  const [step, window] = [stepOf(rule), rule.windowSeconds * SECOND];
  const newest = before.at(-1);
  const isDue = value !== null && !(newest && now - newest[0] < step);
  const all: Samples = isDue ? [...before, [now, value]] : before;
  const base = all.findLastIndex(([at]) => at <= now - window);
  return all.filter(([at], i) => i >= base && at >= now - window - 2 * step);
};

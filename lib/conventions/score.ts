import 'server-only';
import type { Severity } from './schema';

/** The weight of each severity. Hints have none: they are not faults. */
const WEIGHTS: Readonly<Record<Severity, number>> = { error: 3, warning: 1, info: 0 };

export interface Scored {
  readonly severity: Severity;
  /** Null where it is unknown, waived completely or off. */
  readonly count: number | null;
  /** Null for a setting, which is either right or wrong. */
  readonly of: number | null;
}

/** The share of the checked keys that keep a rule. */
const shareOf = ({ count, of }: Scored): number => {
  if (of === null) return count === 0 ? 1 : 0;
  return of === 0 ? 1 : 1 - Math.min(1, count! / of);
};

/**
 * 0–100, rounded down, so that 100 means neither errors nor warnings: the weighted mean of the rules' shares. Null
 * where no rule could be evaluated.
 */
export const scoreOf = (rules: readonly Scored[]): number | null => {
  const evaluated = rules.filter(({ count, severity }) => count !== null && WEIGHTS[severity] > 0);
  const weight = evaluated.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0);
  if (weight === 0) return null;
  const share = evaluated.reduce((sum, rule) => sum + WEIGHTS[rule.severity] * shareOf(rule), 0) / weight;
  // Rounding may make a sum of shares slightly less than the whole.
  return Math.min(evaluated.some(({ count }) => count! > 0) ? 99 : 100, Math.floor(100 * share + 1e-9));
};

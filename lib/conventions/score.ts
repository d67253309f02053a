import type { Severity } from './schema';

/** How much a rule counts. Hints do not: they are no fault. */
const WEIGHTS: Readonly<Record<Severity, number>> = { error: 3, warning: 1, info: 0 };

export interface Scored {
  readonly severity: Severity;
  /** Null where it is unknown, waived in total or off. */
  readonly count: number | null;
  /** Null for a setting, which is right or wrong. */
  readonly of: number | null;
}

/** The share of what a rule checked that keeps it. */
const shareOf = ({ count, of }: Scored): number => {
  if (of === null) return count === 0 ? 1 : 0;
  return of === 0 ? 1 : 1 - Math.min(1, count! / of);
};

/**
 * 0–100, rounded down, so that 100 means no error and no warning: the weighted mean of the rules' shares. Null where no
 * rule could be evaluated.
 */
export const scoreOf = (rules: readonly Scored[]): number | null => {
  const evaluated = rules.filter(({ count, severity }) => count !== null && WEIGHTS[severity] > 0);
  const weight = evaluated.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0);
  if (weight === 0) return null;
  const share = evaluated.reduce((sum, rule) => sum + WEIGHTS[rule.severity] * shareOf(rule), 0) / weight;
  // A sum of shares may be a little below the whole that it is.
  return Math.min(evaluated.some(({ count }) => count! > 0) ? 99 : 100, Math.floor(100 * share + 1e-9));
};

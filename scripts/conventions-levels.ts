import type { ConventionsReport, RuleReport, Severity, Violation } from '@/lib/conventions/schema';
import { plural } from '@/lib/format';

/** The severity from which violations fail the command. */
export type FailOn = Severity | 'none';
export const FAIL_ON: readonly FailOn[] = ['error', 'warning', 'info', 'none'];

const RANK: Record<FailOn, number> = { info: 0, warning: 1, error: 2, none: 3 };

export const isAtLevel = (severity: Severity, failOn: FailOn): boolean => RANK[severity] >= RANK[failOn];

/** Rules whose violations fail the command. */
export const failuresOf = ({ rules }: ConventionsReport, failOn: FailOn): RuleReport[] =>
  rules.filter(({ state, severity }) => state === 'failed' && isAtLevel(severity, failOn));

/** The number of a rule's violations, and of checked items. */
export const countText = ({ count, of }: RuleReport): string => {
  if (count === null) return 'violated';
  return of === null ? plural(count, 'violation') : `${count.toLocaleString('en')} of ${plural(of, 'key')}`;
};

/** Warnings in addition to the rules: waivers past their date, and unknown names in the policy. */
export const warningsOf = ({ waivers, policy }: ConventionsReport): string[] => [
  ...waivers
    .filter(({ expired }) => expired)
    .map(
      ({ rule, family, who, until }) =>
        `the waiver of ${rule}${family ? ` for ${family}` : ''} by ${who} ended on ${until.slice(0, 10)}`,
    ),
  ...policy.problems.map(
    ({ line, column, path, message }) =>
      `${policy.file}:${line}:${column}${path === '' ? '' : ` ${path}`}: ${message}`,
  ),
];

/** Why no key could be checked, where our user may read none; null otherwise. Each key is searched for secrets. */
export const whyNothingSeen = ({ keys, rules }: ConventionsReport): string | null => {
  const { of, state, reason } = rules.find(({ id }) => id === 'secrets-in-clear') ?? {};
  return keys > 0 && of === 0 && state === 'unknown' ? (reason ?? null) : null;
};

/** The sample without keys of families with waived violations, which are not counted either. */
export const openSample = ({ sample, families }: RuleReport): Violation[] =>
  sample.filter(({ family }) => !families.some((row) => row.family === family && row.waived));

/** Counted violations that are not in the sample. */
export const moreThanSample = (rule: RuleReport): number =>
  Math.max(0, (rule.count ?? 0) - openSample(rule).length);

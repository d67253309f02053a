import type { RuleReport, RuleState, Severity } from '@/lib/conventions/schema';

const STATE_RANK: Record<RuleState, number> = { failed: 0, unknown: 1, waived: 2, passed: 3, off: 4 };
const SEVERITY_RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

export interface RuleFilter {
  state: string;
  severity: string;
  /** The item of the checklist to filter by. */
  item: string;
}

/** The rules of a filter: failed ones first, then unknown ones; among equals in the conventions' order. */
export const filterRules = (rules: readonly RuleReport[], filter: RuleFilter): RuleReport[] =>
  rules
    .filter(
      ({ state, severity, checklist }) =>
        (filter.state === '' || state === filter.state) &&
        (filter.severity === '' || severity === filter.severity) &&
        (filter.item === '' || checklist === filter.item),
    )
    .sort(
      (a, b) =>
        STATE_RANK[a.state] - STATE_RANK[b.state] || SEVERITY_RANK[a.severity] - SEVERITY_RANK[b.severity],
    );

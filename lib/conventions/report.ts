import 'server-only';
import { basename } from 'node:path';
import { iso, isoOrNull } from '@/lib/time';
import type { Checked, CheckedRule } from './checked';
import type { PolicyInForce } from './policy/policy';
import { CHECKLIST_TITLES, RULE_TEXTS } from './rule-texts';
import {
  CHECKLIST_IDS,
  type ConventionsReport,
  FIXABLE,
  RULE_IDS,
  type RuleId,
  type RuleReport,
  SEVERITIES,
  type Severity,
  type Waiver,
} from './schema';
import { scoreOf } from './score';

const UNCHECKED = 'The conventions have not been checked yet.';
const SWITCHED_OFF = 'Its rules are switched off or informational only.';
const LATER = 'The rule was switched on after the last check.';

interface Input {
  readonly checked: Checked | null;
  readonly inForce: PolicyInForce;
  /** Waivers in the console's store; the policy's are added. */
  readonly waivers: readonly Waiver[];
  /** Violations by rule more than a day ago; null without a report from then. */
  readonly yesterday: Readonly<Partial<Record<RuleId, number>>> | null;
  readonly now: number;
}

export const policyWaivers = ({ source }: PolicyInForce, now: number): Waiver[] =>
  source.content.waivers.map(({ rule, family, who, why, until }) => ({
    id: `policy:${rule}:${family ?? ''}`,
    rule,
    family: family ?? null,
    who,
    why,
    until: iso(until),
    source: 'policy',
    expired: until <= now,
  }));

/** Whether a waiver in force covers a rule's violations in a family. */
export const isWaived = (waivers: readonly Waiver[], rule: RuleId, family: string | null): boolean =>
  waivers.some(
    (waiver) =>
      !waiver.expired && waiver.rule === rule && (waiver.family === null || waiver.family === family),
  );

/** The worst severity of the violations without waiver; the rule's own where there are none. */
const severityIn = (id: RuleId, families: RuleReport['families'], { policy }: PolicyInForce): Severity => {
  const severities = families.filter(({ waived }) => !waived).map(({ severity }) => severity);
  return SEVERITIES.find((severity) => severities.includes(severity)) ?? policy.severityOf(id, null);
};

const stateOf = (id: RuleId, found: CheckedRule | undefined, input: Input, open: number, waived: number) => {
  const isOn = input.inForce.policy.isOn(id, null);
  if (!isOn && open === 0 && waived === 0) return { state: 'off', reason: null } as const;
  if (!found) return { state: 'unknown', reason: input.checked ? LATER : UNCHECKED } as const;
  if (found.reason) return { state: 'unknown', reason: found.reason } as const;
  if (open > 0) return { state: 'failed', reason: null } as const;
  return { state: waived > 0 ? 'waived' : 'passed', reason: null } as const;
};

const ruleReport = (id: RuleId, input: Input, waivers: readonly Waiver[]): RuleReport => {
  const { title, why, how, remedy, checklist } = RULE_TEXTS[id];
  const { policy } = input.inForce;
  const checkedRule = input.checked?.rules[id];
  const families = (checkedRule?.families ?? [])
    .filter(({ family }) => policy.isOn(id, family))
    .map((row) => ({
      ...row,
      severity: policy.severityOf(id, row.family),
      waived: isWaived(waivers, id, row.family),
    }));
  const sum = (isOf: boolean) =>
    families.filter(({ waived }) => waived === isOf).reduce((total, { count }) => total + count, 0);
  const { state, reason } = stateOf(id, checkedRule, input, sum(false), sum(true));
  const count = state === 'unknown' || state === 'off' ? null : sum(false);
  const before = input.yesterday?.[id];
  return {
    id,
    title,
    why,
    how,
    remedy,
    severity: severityIn(id, families, input.inForce),
    checklist,
    state,
    count,
    of: checkedRule?.of ?? null,
    waived: sum(true),
    newSinceYesterday: count === null || before === undefined ? null : count - before,
    families,
    sample: (checkedRule?.sample ?? []).filter(({ family }) => policy.isOn(id, family)),
    reason,
    fixable: (FIXABLE as readonly RuleId[]).includes(id),
  };
};

type Item = ConventionsReport['checklist'][number];

/** Hints do not fail an item; rules that are off are skipped. */
const checklistItem = (id: Item['id'], all: readonly RuleReport[]): Item => {
  const rules = all.filter(({ checklist }) => checklist === id);
  const counted = rules.filter(({ severity, state }) => severity !== 'info' && state !== 'off');
  const failed = counted.filter(({ state }) => state === 'failed');
  const unknown = counted.find(({ state }) => state === 'unknown');
  const item = { id, title: CHECKLIST_TITLES[id], rules: rules.map((rule) => rule.id) };
  if (failed.length > 0) {
    const count = failed.reduce((sum, rule) => sum + rule.count!, 0);
    return { ...item, state: 'failed', count, reason: null };
  }
  if (unknown) return { ...item, state: 'unknown', count: null, reason: unknown.reason };
  if (counted.length === 0) return { ...item, state: 'unknown', count: null, reason: SWITCHED_OFF };
  return { ...item, state: 'passed', count: 0, reason: null };
};

/** A report of the counts, under the policy and the waivers now in force. */
export const reportOf = (input: Input): ConventionsReport => {
  const { checked, inForce, now } = input;
  const waivers = [...policyWaivers(inForce, now), ...input.waivers];
  const rules = RULE_IDS.map((id) => ruleReport(id, input, waivers));
  const { source, problems } = inForce;
  return {
    at: isoOrNull(checked?.at),
    score: checked ? scoreOf(rules) : null,
    keys: checked?.keys ?? 0,
    complete: checked?.complete ?? false,
    rules,
    checklist: CHECKLIST_IDS.map((id) => checklistItem(id, rules)),
    waivers,
    policy: {
      file: source.path === null ? null : basename(source.path),
      loadedAt: isoOrNull(source.loadedAt),
      problems: problems.map(({ line, column, path, found, expected }) => ({
        line,
        column,
        path,
        message: `found ${found}, expected ${expected}`,
      })),
    },
    walk: checked?.walk ?? null,
  };
};

/** Violations without waiver, by rule, for rules that were evaluated. */
export const countsOf = ({ rules }: ConventionsReport): Partial<Record<RuleId, number>> =>
  Object.fromEntries(rules.flatMap(({ id, count }) => (count === null ? [] : [[id, count]])));

import 'server-only';
import { NAME_RULES } from './name-rules';
import type { KeyFacts, KeyRule, Policy } from './rule';
import type { RuleId } from './schema';
import { SECRET_RULES } from './secret-rules';
import { VALUE_RULES } from './value-rules';

/** All rules that are decided per key: all except `ttl-jitter` and the rules about the server. */
export const KEY_RULES: readonly KeyRule[] = [...NAME_RULES, ...VALUE_RULES, ...SECRET_RULES];

const byId = new Map<RuleId, KeyRule>(KEY_RULES.map((rule) => [rule.id, rule]));

export const keyRuleOf = (id: RuleId): KeyRule | undefined => byId.get(id);

/** How a key violates a rule; null where it does not, or the rule is off or does not apply. */
export const faultOfKey = (rule: KeyRule, facts: KeyFacts, policy: Policy): string | null =>
  policy.isOn(rule.id, facts.found.family?.id ?? null) &&
  rule.applies(facts, policy) &&
  !rule.isUnread(facts, policy)
    ? rule.faultOf(facts, policy)
    : null;

import 'server-only';
import { NAME_RULES } from './name-rules';
import type { KeyFacts, KeyRule, Policy } from './rule';
import type { RuleId } from './schema';
import { SECRET_RULES } from './secret-rules';
import { VALUE_RULES } from './value-rules';

/** All rules that are decided for each key by itself: all but `ttl-jitter` and those of the server. */
export const KEY_RULES: readonly KeyRule[] = [...NAME_RULES, ...VALUE_RULES, ...SECRET_RULES];

const byId = new Map<RuleId, KeyRule>(KEY_RULES.map((rule) => [rule.id, rule]));

export const keyRuleOf = (id: RuleId): KeyRule | undefined => byId.get(id);

/** What is wrong with a key by a rule; null where nothing is, or the rule is not about it or off. */
export const faultOfKey = (rule: KeyRule, facts: KeyFacts, policy: Policy): string | null =>
  policy.isOn(rule.id, facts.found.family?.id ?? null) &&
  rule.applies(facts, policy) &&
  !rule.isUnread(facts, policy)
    ? rule.faultOf(facts, policy)
    : null;

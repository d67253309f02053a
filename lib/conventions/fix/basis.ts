import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { faultOfKey, keyRuleOf } from '../key-rules';
import { policyOf } from '../policy/policy';
import type { FixableRule } from '../schema';
import type { Basis } from './fixing';

/** What the job decides by: the policy as it is in force when the job begins. */
export const basisOf = async ({ connection }: ReadContext, rule: FixableRule): Promise<Basis> => {
  const { policy } = policyOf(connection);
  const keyRule = keyRuleOf(rule);
  if (!keyRule) throw new Problem('conflict', 'This rule is not decided for each key.');
  return {
    rule,
    policy,
    faultOf: (facts) => faultOfKey(keyRule, facts, policy),
    isWaived: () => false,
  };
};

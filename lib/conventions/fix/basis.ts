import 'server-only';
import type { JobContext } from '@/lib/jobs/define';
import { SECOND } from '@/lib/time';
import { ExpiryCounts } from '../expiry-counts';
import { faultOfKey, keyRuleOf } from '../key-rules';
import { policyOf } from '../policy/policy';
import { isWaived, policyWaivers } from '../report';
import type { KeyFacts, Policy } from '../rule';
import type { FixableRule } from '../schema';
import { readWaivers } from '../waivers';
import { walkFacts } from './faults';
import type { Basis } from './fixing';

const familyOf = ({ found }: KeyFacts): string | null => found.family?.id ?? null;

/** A TTL is read a moment after the clock, so an expiry may appear in a neighbouring second. */
const NEAR_MS = 20;

const secondsNear = (at: number): number[] => [
  ...new Set([at - NEAR_MS, at, at + NEAR_MS].map((time) => Math.floor(time / SECOND))),
];

/** `ttl-jitter` depends on all keys of a family, so they are counted first. */
const sharedSeconds = async (ctx: JobContext, policy: Policy): Promise<Basis['faultOf']> => {
  const counts = new ExpiryCounts();
  for await (const page of walkFacts(ctx, 'ttl-jitter', null))
    for (const facts of page)
      if (policy.isOn('ttl-jitter', familyOf(facts)))
        counts.add(familyOf(facts), facts.key, facts.ttlMs, Date.now());
  const shared = new Map(
    counts
      .shared(policy)
      .map(({ family, seconds }) => [family, new Set(seconds.map(({ second }) => second))]),
  );
  return (facts) => {
    const crowded = shared.get(familyOf(facts));
    if (!crowded || facts.ttlMs < 0) return null;
    const isShared = secondsNear(Date.now() + facts.ttlMs).some((second) => crowded.has(second));
    return isShared ? 'many keys of its family expire within the same second' : null;
  };
};

/** What the job decides by: the rule of the report, and the policy in force now. */
export const basisOf = async (ctx: JobContext, rule: FixableRule): Promise<Basis> => {
  const inForce = policyOf(ctx.connection);
  const { policy } = inForce;
  const keyRule = keyRuleOf(rule);
  const now = ctx.now();
  const recorded = await readWaivers(ctx.store, ctx.connection.config.id, now);
  const waivers = [...policyWaivers(inForce, now), ...recorded];
  return {
    rule,
    policy,
    faultOf: keyRule ? (facts) => faultOfKey(keyRule, facts, policy) : await sharedSeconds(ctx, policy),
    isWaived: (facts) => isWaived(waivers, rule, familyOf(facts)),
  };
};

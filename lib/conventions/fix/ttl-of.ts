import 'server-only';
import { randomInt } from 'node:crypto';
import { SECOND } from '@/lib/time';
import type { Band, KeyFacts, Policy } from '../rule';
import type { FixableRule } from '../schema';

export const NO_BAND = 'No TTL band is known for its family: set one in the policy';
export const TOO_SHORT = 'It expires sooner than its band: a TTL is never made longer';
export const TOO_SOON = 'It expires too soon to be spread';

/** The share of a band, or of the time left, over which expiries are spread. */
const SPREAD = 0.25;
const MIN_TO_SPREAD_MS = 4 * SECOND;

const between = (from: number, to: number): number => randomInt(Math.floor(from), Math.floor(to) + 1);

/** Its longest times, because a key that expires early is a miss. */
const inBand = ({ minSeconds, maxSeconds }: Band): number => {
  const [min, max] = [minSeconds * SECOND, maxSeconds * SECOND];
  return between(Math.max(min, max - Math.max((max - min) * SPREAD, 0)), max);
};

const bandFor = (rule: FixableRule, facts: KeyFacts, policy: Policy): Band | null => {
  if (rule === 'lock-ttl') return policy.bands.lock;
  if (rule === 'null-marker-ttl') return policy.bands['null-marker'];
  return policy.bandOf(facts);
};

/** The TTL that fixes a key, ms, with jitter; or why there is none. */
export const ttlOf = (
  rule: FixableRule,
  facts: KeyFacts,
  policy: Policy,
): { ms: number } | { skip: string } => {
  const { ttlMs } = facts;
  if (rule === 'ttl-jitter') {
    if (ttlMs < MIN_TO_SPREAD_MS) return { skip: TOO_SOON };
    return { ms: between(ttlMs * (1 - SPREAD), ttlMs - 1) };
  }
  const band = bandFor(rule, facts, policy);
  if (!band) return { skip: NO_BAND };
  if (ttlMs >= 0 && ttlMs < band.minSeconds * SECOND) return { skip: TOO_SHORT };
  return { ms: inBand(band) };
};

import 'server-only';
import { randomInt } from 'node:crypto';
import { SECOND } from '@/lib/time';
import type { Band, KeyFacts, Policy } from '../rule';
import type { FixableRule } from '../schema';

export const NO_BAND = 'No TTL is known for it: set a band in the policy';
export const TOO_SHORT = 'It expires sooner than its band: a TTL is never made longer';
export const TOO_SOON = 'It expires too soon to be spread';

/** The fraction of a band, or of the remaining time, over which expiries are spread. */
const SPREAD = 0.25;
const MIN_TO_SPREAD_MS = 10 * SECOND;
/** Moves a key out of the second it shares, and out of the tolerance around it. */
const OUT_OF_THE_SECOND_MS = 2 * SECOND;

const between = (from: number, to: number): number => randomInt(Math.floor(from), Math.floor(to) + 1);

/** The longest times of the band, because a key that expires early is a miss. */
const inBand = ({ minSeconds, maxSeconds }: Band): number => {
  const [min, max] = [minSeconds * SECOND, maxSeconds * SECOND];
  return between(Math.max(min, max - Math.max((max - min) * SPREAD, 0)), max);
};

const bandFor = (rule: FixableRule, facts: KeyFacts, policy: Policy): Band | null => {
  if (rule === 'lock-ttl') return policy.bands.lock;
  if (rule === 'null-marker-ttl') return policy.bands['null-marker'];
  return policy.bandOf(facts);
};

/** The TTLs that the catalog declares for a family. A single TTL allows jitter over a quarter of its second half. */
const documented = ({ found }: KeyFacts): Band | null => {
  const ttl = found.family?.ttl;
  if (!ttl || typeof ttl === 'string') return null;
  return 'seconds' in ttl ? { minSeconds: ttl.seconds / 2, maxSeconds: ttl.seconds } : ttl;
};

/** The rules that limit how long a key may live, whatever its catalog declares. */
const LIMITS: ReadonlySet<FixableRule> = new Set(['ttl-band', 'null-marker-ttl']);

/** A missing TTL becomes the catalog's, which knows the application; otherwise the band's. */
const timesFor = (rule: FixableRule, facts: KeyFacts, policy: Policy): Band | null => {
  const [band, own] = [bandFor(rule, facts, policy), documented(facts)];
  if (!band || !own) return band ?? own;
  if (!LIMITS.has(rule)) return own;
  const maxSeconds = Math.min(band.maxSeconds, own.maxSeconds);
  return { minSeconds: Math.min(band.minSeconds, own.minSeconds), maxSeconds };
};

/** The TTL that fixes a key, ms, with jitter; or the reason why there is none. */
export const ttlOf = (
  rule: FixableRule,
  facts: KeyFacts,
  policy: Policy,
): { ms: number } | { skip: string } => {
  const { ttlMs } = facts;
  if (rule === 'ttl-jitter') {
    if (ttlMs < MIN_TO_SPREAD_MS) return { skip: TOO_SOON };
    return { ms: between(ttlMs * (1 - SPREAD), ttlMs - OUT_OF_THE_SECOND_MS) };
  }
  const times = timesFor(rule, facts, policy);
  if (!times) return { skip: NO_BAND };
  if (ttlMs >= 0 && ttlMs < times.minSeconds * SECOND) return { skip: TOO_SHORT };
  return { ms: inBand(times) };
};

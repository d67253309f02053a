import 'server-only';
import type { Bucket } from '@/lib/history/bucket';
import type { HistoryEvent } from '@/lib/history/schema';
import { iso, SECOND } from '@/lib/time';

/** A burst has at least this many keys, and this multiple of a step's usual number. */
const MIN_KEYS = 50;
const MIN_FACTOR = 5;
/** Maximum number per kind: a chart cannot show more. */
const MAX_EVENTS = 20;

interface Burst {
  at: number;
  to: number;
  keys: number;
}

const medianOf = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

/** Runs of steps with many more keys than usual; runs separated by one usual step are joined. */
const burstsOf = (
  buckets: readonly Bucket[],
  stepMs: number,
  usual: number,
  pick: (one: Bucket) => number,
) => {
  const bursts: Burst[] = [];
  for (const bucket of buckets) {
    const keys = pick(bucket);
    if (keys < MIN_KEYS || keys < MIN_FACTOR * usual) continue;
    const last = bursts.at(-1);
    if (last && bucket.at - last.to <= stepMs) {
      last.to = bucket.at + stepMs;
      last.keys += keys;
    } else bursts.push({ at: bucket.at, to: bucket.at + stepMs, keys });
  }
  return bursts.sort((a, b) => b.keys - a.keys).slice(0, MAX_EVENTS);
};

const eventOf =
  (kind: 'eviction' | 'expiry', verb: string) =>
  ({ at, to, keys }: Burst): HistoryEvent => ({
    at: iso(at),
    kind,
    auditId: null,
    href: null,
    family: null,
    text: `${keys} keys ${verb} within ${(to - at) / SECOND} s`,
  });

/**
 * Evictions in excess of the period before `from`, and bursts of expired keys. A burst that the census already
 * attributed to a family is not repeated.
 */
export const serverEvents = (
  buckets: readonly Bucket[],
  stepMs: number,
  from: number,
  known: readonly HistoryEvent[],
): HistoryEvent[] => {
  const before = buckets.filter(({ at }) => at < from);
  const usual = (list: readonly Bucket[], pick: (one: Bucket) => number) => medianOf(list.map(pick));
  const evicted = burstsOf(
    buckets,
    stepMs,
    usual(before, (bucket) => bucket.evicted),
    (bucket) => bucket.evicted,
  );
  const expired = burstsOf(
    buckets,
    stepMs,
    usual(buckets, (bucket) => bucket.expired),
    (bucket) => bucket.expired,
  );
  const waves = known.filter(({ kind }) => kind === 'expiry').map(({ at }) => Date.parse(at));
  const isKnown = ({ at, to }: Burst): boolean =>
    waves.some((wave) => wave >= at - 2 * stepMs && wave <= to + stepMs);
  return [
    ...evicted.map(eventOf('eviction', 'evicted')),
    ...expired.filter((burst) => !isKnown(burst)).map(eventOf('expiry', 'expired')),
  ];
};

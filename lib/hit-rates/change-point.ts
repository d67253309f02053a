import 'server-only';

/** Look-ups of one span, in order of time. */
export interface Counted {
  at: number;
  hits: number;
  misses: number;
}

/** A split must gain twice this log-likelihood: about 0.1 % of series without a change reach it. */
const MIN_GAIN = 16;
const MIN_SIDE = 20;

interface Sum {
  hits: number;
  n: number;
}

const rateOf = ({ hits, n }: Sum): number => hits / n;

/** Log-likelihood of the look-ups of `side` under their own hit rate. */
const likelihood = ({ hits, n }: Sum): number => {
  const misses = n - hits;
  return (hits > 0 ? hits * Math.log(hits / n) : 0) + (misses > 0 ? misses * Math.log(misses / n) : 0);
};

/** By which factor spans vary more than independent look-ups would, at least 1 (Pearson's χ² by degrees of freedom). */
const dispersionOf = (spans: readonly Counted[], since: number, before: Sum, after: Sum): number => {
  let squares = 0;
  for (const { at, hits, misses } of spans) {
    const n = hits + misses;
    const side = at < since ? before : after;
    const rate = Math.min(1 - 0.5 / side.n, Math.max(0.5 / side.n, rateOf(side)));
    if (n > 0) squares += (hits - n * rate) ** 2 / (n * rate * (1 - rate));
  }
  return Math.max(1, squares / Math.max(1, spans.length - 2));
};

/**
 * When the hit rate fell: the start of the first span after the split that two constant rates explain best. Null where
 * one constant rate explains the look-ups nearly as well, or the rate rose. `spans` are in order of time.
 */
export const changePoint = (spans: readonly Counted[]): number | null => {
  const seen = spans.filter(({ hits, misses }) => hits + misses > 0);
  const total = seen.reduce(
    (sum, { hits, misses }) => ({ hits: sum.hits + hits, n: sum.n + hits + misses }),
    { hits: 0, n: 0 },
  );
  let best: { at: number; gain: number; before: Sum; after: Sum } | null = null;
  const before = { hits: 0, n: 0 };
  for (const { at, hits, misses } of seen) {
    const after = { hits: total.hits - before.hits, n: total.n - before.n };
    if (before.n >= MIN_SIDE && after.n >= MIN_SIDE && rateOf(after) < rateOf(before)) {
      const gain = 2 * (likelihood(before) + likelihood(after) - likelihood(total));
      if (!best || gain > best.gain) best = { at, gain, before: { ...before }, after };
    }
    before.hits += hits;
    before.n += hits + misses;
  }
  if (!best) return null;
  return best.gain / dispersionOf(seen, best.at, best.before, best.after) >= MIN_GAIN ? best.at : null;
};

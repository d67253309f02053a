import 'server-only';
import { errorOf } from './error';
import { isTooFew, readableRate } from './rate';
import type { LookupCounts, Source } from './schema';
import { addSums, type FamilySums, type HitRateSpan } from './spans';

export type CountedSource = Exclude<Source, 'none'>;

export const NO_LOOKUPS: FamilySums = [0, 0, 0, 0, 0, 0];

export const sumsOf = (id: string, spans: readonly HitRateSpan[]): FamilySums =>
  spans.reduce((sum, { families }) => addSums(sum, families[id] ?? NO_LOOKUPS), NO_LOOKUPS);

export const secondsOf = (spans: readonly HitRateSpan[]): number =>
  spans.reduce((sum, { seconds }) => sum + seconds, 0);

export const round = (value: number): number => Math.round(value * 1000) / 1000;

/** The figures of `sums` over `seconds`. Counters count every look-up, so their rate has no error. */
export const lookupCounts = (source: CountedSource, sums: FamilySums, seconds: number): LookupCounts => {
  const [hits, misses] = sums;
  const rate = readableRate(hits, misses);
  return {
    hits,
    misses,
    n: hits + misses,
    hitRate: rate,
    tooFew: isTooFew(hits, misses),
    error: rate === null ? null : source === 'counters' ? 0 : errorOf(sums),
    windowSeconds: round(seconds),
  };
};

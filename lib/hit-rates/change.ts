import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import { togetherOf } from '@/lib/families/ttl';
import type { Bucket } from '@/lib/history/bucket';
import { type Census, readCensus } from '@/lib/history/census';
import { readHistoryEvents } from '@/lib/history/events';
import { type FamilyTtls, readAllFamilyTtls } from '@/lib/history/family-ttls';
import { serverHistory } from '@/lib/history/server-history';
import { readSteps } from '@/lib/history/spans';
import { ttlInWords } from '@/lib/keyspace/ttl-in-words';
import { iso, isoOrNull, SECOND } from '@/lib/time';
import { changePoint } from './change-point';
import { errorOf } from './error';
import { type Observed, sourcesOf } from './figures';
import { type CountedSource, lookupCounts, round, secondsOf, sumsOf } from './lookup-counts';
import { MIN_LOOKUPS, readableRate } from './rate';
import type { FamilyChange, HitRateChange, hitRateContracts } from './schema';
import { serverEvents } from './server-events';
import { type HitRateSpan, readSpans } from './spans';

/** The range and the preceding period of the same length, epoch ms. `from` belongs to `now`, `to` to neither. */
interface Periods {
  before: number;
  from: number;
  to: number;
}

/** The spans of one source in both periods. */
interface Sides {
  before: readonly HitRateSpan[];
  now: readonly HitRateSpan[];
}

const sidesOf = (spans: readonly HitRateSpan[], { from }: Periods): Sides => ({
  before: spans.filter(({ at }) => at < from),
  now: spans.filter(({ at }) => at >= from),
});

const perSecond = (count: number, seconds: number): number | null =>
  seconds > 0 ? round(count / seconds) : null;

const difference = (now: number | null, before: number | null): number | null =>
  now === null || before === null ? null : round(now - before);

const familySide = (id: string, source: CountedSource, spans: readonly HitRateSpan[]) => {
  const seconds = secondsOf(spans);
  const counts = lookupCounts(source, sumsOf(id, spans), seconds);
  return { ...counts, missesPerSecond: perSecond(counts.misses, seconds) };
};

/** Whether the rates differ by more than their errors. Counters are exact, but vary by chance like any look-ups. */
const isCertain = (id: string, { before, now }: Sides): boolean => {
  const [was, is] = [sumsOf(id, before), sumsOf(id, now)];
  const [wasRate, isRate] = [readableRate(was[0], was[1]), readableRate(is[0], is[1])];
  if (wasRate === null || isRate === null) return false;
  return Math.abs(isRate - wasRate) > errorOf(was)! + errorOf(is)!;
};

const sinceOf = (id: string, { before, now }: Sides): number | null =>
  changePoint(
    [...before, ...now].map(({ at, families }) => {
      const [hits = 0, misses = 0] = families[id] ?? [];
      return { at, hits, misses };
    }),
  );

interface Known {
  census: Census | null;
  ttls: ReadonlyMap<string, FamilyTtls>;
}

const familyChange = (
  { catalog }: ReadContext,
  id: string,
  source: CountedSource,
  sides: Sides,
  { census, ttls }: Known,
): FamilyChange => {
  const family = catalog.get(id);
  const [before, now] = [familySide(id, source, sides.before), familySide(id, source, sides.now)];
  const since = before.windowSeconds > 0 && now.windowSeconds > 0 ? sinceOf(id, sides) : null;
  const ttl = ttls.get(id);
  return {
    family: id,
    title: family?.title ?? id,
    cache: family?.cache ?? false,
    source,
    before,
    now,
    additionalMissesPerSecond: difference(now.missesPerSecond, before.missesPerSecond),
    share: null,
    certain: isCertain(id, sides),
    since: isoOrNull(since),
    ttl: {
      documented: family ? ttlInWords(family.ttl) : null,
      seconds:
        family && typeof family.ttl === 'object' && 'seconds' in family.ttl ? family.ttl.seconds : null,
    },
    keys: census && family ? (census.families[id]?.keys ?? 0) : null,
    nextExpiry: ttl ? togetherOf(ttl) : null,
  };
};

const leftOf = (spans: readonly HitRateSpan[]) => {
  const misses = spans.reduce((sum, { left }) => sum + Math.max(0, left[1]), 0);
  return { misses, missesPerSecond: perSecond(misses, secondsOf(spans)) };
};

const instanceSide = (buckets: readonly Bucket[]) => {
  const sum = (pick: (bucket: Bucket) => number): number =>
    buckets.reduce((all, bucket) => all + pick(bucket), 0);
  const [hits, misses] = [sum((bucket) => bucket.hits), sum((bucket) => bucket.misses)];
  const seconds = sum((bucket) => bucket.observedMs) / SECOND;
  return { counts: { hits, misses, hitRate: readableRate(hits, misses) }, rate: perSecond(misses, seconds) };
};

const instanceChange = (buckets: readonly Bucket[], { from }: Periods): HitRateChange['instance'] => {
  const before = instanceSide(buckets.filter(({ at }) => at < from));
  const now = instanceSide(buckets.filter(({ at }) => at >= from));
  return {
    before: before.counts,
    now: now.counts,
    additionalMissesPerSecond: difference(now.rate, before.rate),
  };
};

/** Shares of the additional misses; a family with fewer misses than before has none. */
const ranked = (families: readonly FamilyChange[], unattributed: number) => {
  const more = ({ additionalMissesPerSecond }: FamilyChange): number =>
    Math.max(0, additionalMissesPerSecond ?? 0);
  const total = families.reduce((sum, one) => sum + more(one), unattributed);
  const share = (part: number): number => (total > 0 ? round(part / total) : 0);
  return {
    families: families
      .map((family) => ({ ...family, share: share(more(family)) }))
      .sort(
        (a, b) =>
          (b.additionalMissesPerSecond ?? 0) - (a.additionalMissesPerSecond ?? 0) ||
          a.family.localeCompare(b.family),
      ),
    unattributed: share(unattributed),
  };
};

const windowsOf = (spans: readonly HitRateSpan[]) => ({
  taken: spans.reduce((sum, { windows }) => sum + windows, 0),
  seconds: round(secondsOf(spans)),
});

/** The step for comparing the server's own history: fine enough for bursts, at most about a thousand spans. */
const stepOf = ({ before, to }: Periods): number =>
  Math.max(10 * SECOND, Math.ceil((to - before) / 1000 / SECOND) * SECOND);

const isRankable = ({ before, now }: FamilyChange): boolean => Math.max(before.n, now.n) >= MIN_LOOKUPS;

/** hitRates.change: which families miss more than in the preceding period, since when, and what happened then. */
export const readHitRateChange = async (
  ctx: ReadContext,
  input: Input<typeof hitRateContracts.change>,
): Promise<HitRateChange> => {
  const { store } = ctx;
  const { id } = ctx.connection.config;
  const [from, to] = [Date.parse(input.from), Date.parse(input.to)];
  const periods: Periods = { before: from - (to - from), from, to };
  const range = { from: periods.before, to: to - 1 };
  const [sample, counters, server, events, census, ttls] = await Promise.all([
    readSpans(store, id, 'sample', range.from, range.to),
    readSpans(store, id, 'counters', range.from, range.to),
    readSteps(serverHistory, store, id, { ...range, stepMs: stepOf(periods), now: ctx.now() }),
    readHistoryEvents(store, id, range.from, range.to),
    readCensus(store, id),
    readAllFamilyTtls(store, id),
  ]);
  const observed: Observed = { sample, counters };
  const sides = { sample: sidesOf(sample, periods), counters: sidesOf(counters, periods) };
  const changes = [...sourcesOf(ctx.catalog, observed)].map(([family, source]) =>
    familyChange(ctx, family, source, sides[source], { census, ttls }),
  );
  const [leftBefore, leftNow] = [leftOf(sides.sample.before), leftOf(sides.sample.now)];
  const unattributed = Math.max(0, difference(leftNow.missesPerSecond, leftBefore.missesPerSecond) ?? 0);
  const { families, unattributed: share } = ranked(changes.filter(isRankable), unattributed);
  return {
    now: { from: input.from, to: input.to },
    before: { from: iso(periods.before), to: input.from },
    instance: instanceChange(server.spans, periods),
    families,
    tooFew: changes.filter((change) => !isRankable(change)).sort((a, b) => b.now.misses - a.now.misses),
    notAttributed: { before: leftBefore, now: leftNow, share },
    windows: { before: windowsOf(sides.sample.before), now: windowsOf(sides.sample.now) },
    events: [...events, ...serverEvents(server.spans, server.stepMs, from, events)].sort((a, b) =>
      a.at.localeCompare(b.at),
    ),
  };
};

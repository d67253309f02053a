import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { notFound } from '@/lib/errors';
import { readSeries } from '@/lib/history/reads';
import type { Registry } from '@/lib/keyspace/registry';
import type { Store } from '@/lib/redis/store';
import { HOUR, SECOND } from '@/lib/time';
import { applicationFigures, coverageOfSpans, familyFigures, type Observed } from './figures';
import { secondsOf } from './lookup-counts';
import { readableRate } from './rate';
import { CUTS, type FamilyHitRates, type hitRateContracts, type Reason } from './schema';
import { askedSecondsOf, type HitRateSpan, joinCuts, joinReasons, readSpans } from './spans';

type HitRates = Result<typeof hitRateContracts.get>;

const observed = async (store: Store, id: string, from: number, to: number): Promise<Observed> => ({
  sample: await readSpans(store, id, 'sample', from, to),
  counters: await readSpans(store, id, 'counters', from, to),
});

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const notAttributed = (spans: readonly HitRateSpan[]): HitRates['notAttributed'] => {
  const lookups = total(spans.map(({ total: [hits, misses] }) => hits + misses));
  const left = total(spans.map(({ left: [hits, misses] }) => Math.abs(hits) + Math.abs(misses)));
  return {
    hits: total(spans.map(({ left: [hits] }) => hits)),
    misses: total(spans.map(({ left: [, misses] }) => misses)),
    share: lookups > 0 ? Math.min(1, left / lookups) : null,
    reasons: joinReasons(spans.map(({ reasons }) => reasons as Reason[])),
  };
};

const cutsOf = (spans: readonly HitRateSpan[]): HitRates['windows']['cuts'] => {
  const cuts = joinCuts(spans);
  return CUTS.flatMap((why) => (cuts[why] ? [{ why, count: cuts[why] }] : []));
};

const instanceFigures = (points: Awaited<ReturnType<typeof readSeries>>['points']): HitRates['instance'] => {
  const hits = total(points.map((point) => point.hits));
  const misses = total(points.map((point) => point.misses));
  return {
    label: 'instance',
    points: points.map(({ at, hits, misses, hitRate }) => ({ at, hits, misses, hitRate })),
    hits,
    misses,
    hitRate: readableRate(hits, misses),
  };
};

/** hitRates.get: hit rates over time, per family and of the instance. */
export const readHitRates = async (
  ctx: ReadContext,
  input: Input<typeof hitRateContracts.get>,
): Promise<HitRates> => {
  const { id } = ctx.connection.config;
  if (input.family !== undefined && !ctx.catalog.get(input.family)) throw notFound('This family');
  const [from, to, stepMs] = [Date.parse(input.from), Date.parse(input.to), input.stepSeconds * SECOND];
  const spans = await observed(ctx.store, id, from, to);
  const series = await readSeries(ctx.store, id, { from, to, stepMs }, ctx.now());
  const families = familyFigures(ctx.catalog, spans, stepMs);
  return {
    families:
      input.family === undefined ? families : families.filter(({ family }) => family === input.family),
    notAttributed: notAttributed(spans.sample),
    windows: {
      taken: total(spans.sample.map(({ windows }) => windows)),
      cutShort: total(spans.sample.map(({ cutShort }) => cutShort)),
      seconds: total(spans.sample.map(({ seconds }) => seconds)),
      askedSeconds: total(spans.sample.map(askedSecondsOf)),
      cuts: cutsOf(spans.sample),
    },
    instance: instanceFigures(series.points),
    application: applicationFigures(spans.counters, stepMs),
    events: series.events,
    stepSeconds: series.stepSeconds,
  };
};

type TimedHitRates = FamilyHitRates & { sampledAt: number | null };

/**
 * Each family's figures in a range, epoch ms, without points, and the time of the newest; for all families in the
 * range's windows, `coverage` and the observed seconds.
 */
export const familyHitRates = async (
  store: Store,
  connection: string,
  catalog: Registry,
  { from, to }: { from: number; to: number },
): Promise<{ families: Map<string, TimedHitRates>; coverage: number | null; windowSeconds: number }> => {
  const spans = await observed(store, connection, from, to);
  const newest = (list: readonly HitRateSpan[]): number | null => list[list.length - 1]?.at ?? null;
  const figures = familyFigures(catalog, spans, null);
  const families = figures.map((row): [string, TimedHitRates] => [
    row.family,
    { ...row, sampledAt: newest(row.source === 'counters' ? spans.counters : spans.sample) },
  ]);
  return {
    families: new Map(families),
    coverage: coverageOfSpans(spans.sample),
    windowSeconds: secondsOf(spans.sample),
  };
};

/** Each family's figures in the last hour. */
export const lastHourHitRates = async (
  store: Store,
  connection: string,
  catalog: Registry,
  now: number,
): Promise<Map<string, TimedHitRates>> =>
  (await familyHitRates(store, connection, catalog, { from: now - HOUR, to: now })).families;

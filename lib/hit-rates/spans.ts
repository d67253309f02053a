import 'server-only';
import { z } from 'zod';
import { appendTimed, groupTimed, newestTime, readTimed } from '@/lib/history/timed-stream';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { DAY, HOUR } from '@/lib/time';

/**
 * Sums of one family: hits, misses, windows, and over the windows Σh², Σhn and Σn² (n = hits + misses). They determine
 * the error of the joined rate, in whatever order spans are joined.
 */
export type FamilySums = [hits: number, misses: number, windows: number, hh: number, hn: number, nn: number];

const spanReason = z.object({
  kind: z.string(),
  count: z.number(),
  hits: z.number().nullable(),
  misses: z.number().nullable(),
  commands: z.array(z.string()),
});
export type SpanReason = z.output<typeof spanReason>;

const familySums: z.ZodType<FamilySums> = z.tuple([
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
]);
const hitsAndMisses = z.tuple([z.number(), z.number()]);

/** A span as stored, without its start. */
const keptSpan = z.object({
  /** Observed seconds. */
  seconds: z.number(),
  /** Requested seconds; missing in older entries. */
  asked: z.number().optional(),
  windows: z.number(),
  cutShort: z.number(),
  /** Number of windows that were cut short, by reason. */
  cuts: z.record(z.string(), z.number()).optional(),
  families: z.record(z.string(), familySums),
  /** All look-ups in the observed seconds, and those without a family. */
  total: hitsAndMisses,
  left: hitsAndMisses,
  reasons: z.array(spanReason),
});

/** Hits and misses per family in one span: a window, a minute of counters, or several of them joined. */
export interface HitRateSpan extends z.output<typeof keptSpan> {
  /** Start, epoch ms. */
  at: number;
}

export type SpanSource = 'sample' | 'counters';

/** Number of single spans stored: three days with one window per minute. */
const FINE_KEPT = 4500;
const COARSE_KEPT_MS = 90 * DAY;

const keyOf = (connection: string, source: SpanSource, step: 'fine' | 'hour'): Buffer =>
  consoleFamilies.hitRates.key({ connection, resolution: `${source}-${step}` });

const read = (store: Store, key: Buffer, from: number, to: number): Promise<HitRateSpan[]> =>
  readTimed(store, key, keptSpan, { from, to });

const append = async (
  store: Store,
  key: Buffer,
  { at, ...kept }: HitRateSpan,
  trim: ['MAXLEN' | 'MINID', number],
): Promise<void> => {
  await appendTimed(store, key, { at, kept, trim });
  await store.use((redis) => redis.pexpire(key, COARSE_KEPT_MS + DAY));
};

export const addSums = (a: FamilySums, b: FamilySums): FamilySums =>
  a.map((value, i) => value + b[i]!) as FamilySums;

const both = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** Joins the reasons of several spans by kind. */
export const joinReasons = <T extends SpanReason>(lists: readonly (readonly T[])[]): T[] => {
  const joined = new Map<string, T>();
  for (const reason of lists.flat()) {
    const before = joined.get(reason.kind);
    if (!before) {
      joined.set(reason.kind, { ...reason });
      continue;
    }
    before.count += reason.count;
    before.hits = both(before.hits, reason.hits);
    before.misses = both(before.misses, reason.misses);
    before.commands = [...new Set([...before.commands, ...reason.commands])].sort().slice(0, 20);
  }
  return [...joined.values()];
};

/** The requested seconds; for older entries the observed ones. */
export const askedSecondsOf = ({ asked, seconds }: HitRateSpan): number => asked ?? seconds;

export const joinCuts = (spans: readonly HitRateSpan[]): Record<string, number> => {
  const joined: Record<string, number> = {};
  for (const [why, count] of spans.flatMap(({ cuts }) => Object.entries(cuts ?? {})))
    joined[why] = (joined[why] ?? 0) + count;
  return joined;
};

/** Joins two spans; the result starts with the first. */
export const joinSpans = (a: HitRateSpan, b: HitRateSpan): HitRateSpan => {
  const families = { ...a.families };
  for (const [id, sums] of Object.entries(b.families))
    families[id] = families[id] ? addSums(families[id], sums) : sums;
  return {
    at: a.at,
    seconds: a.seconds + b.seconds,
    asked: askedSecondsOf(a) + askedSecondsOf(b),
    windows: a.windows + b.windows,
    cutShort: a.cutShort + b.cutShort,
    cuts: joinCuts([a, b]),
    families,
    total: [a.total[0] + b.total[0], a.total[1] + b.total[1]],
    left: [a.left[0] + b.left[0], a.left[1] + b.left[1]],
    reasons: joinReasons([a.reasons, b.reasons]),
  };
};

/** Groups spans into steps that start at multiples of `stepMs`. Steps without observations are absent. */
export const groupSpans = (spans: readonly HitRateSpan[], stepMs: number): HitRateSpan[] =>
  groupTimed(spans, stepMs, joinSpans);

/** Writes the completed hours that are missing, from the stored spans. */
const rollUp = async (store: Store, connection: string, source: SpanSource, now: number): Promise<void> => {
  const over = Math.floor(now / HOUR) * HOUR;
  const hours = keyOf(connection, source, 'hour');
  const newest = await newestTime(store, hours);
  const from = newest === null ? 0 : newest + HOUR;
  if (from >= over) return;
  const fine = await read(store, keyOf(connection, source, 'fine'), from, over - 1);
  for (const span of groupSpans(fine, HOUR))
    await append(store, hours, span, ['MINID', now - COARSE_KEPT_MS]);
};

export const writeSpan = async (
  store: Store,
  connection: string,
  source: SpanSource,
  span: HitRateSpan,
): Promise<void> => {
  await append(store, keyOf(connection, source, 'fine'), span, ['MAXLEN', FINE_KEPT]);
  await rollUp(store, connection, source, span.at);
};

/** Spans that start in [from, to], epoch ms: single ones while they are stored, hours before that. */
export const readSpans = async (
  store: Store,
  connection: string,
  source: SpanSource,
  from: number,
  to: number,
): Promise<HitRateSpan[]> => {
  const fine = await read(store, keyOf(connection, source, 'fine'), from, to);
  const since = fine[0] ? Math.floor(fine[0].at / HOUR) * HOUR : to + 1;
  if (since <= from) return fine;
  const hours = await read(store, keyOf(connection, source, 'hour'), from, since - 1);
  return [...hours, ...fine];
};

/** Start of the newest span, epoch ms; null without one. */
export const newestSpanAt = (store: Store, connection: string, source: SpanSource): Promise<number | null> =>
  newestTime(store, keyOf(connection, source, 'fine'));

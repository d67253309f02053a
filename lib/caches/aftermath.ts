import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { env } from '@/lib/env';
import { groupSpans, type HitRateSpan, readSpans } from '@/lib/history/hit-rates';
import { readSeries } from '@/lib/history/reads';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY, iso, isoOrNull, MINUTE, SECOND } from '@/lib/time';
import { type Aftermath, aftermath } from './schema';

/** What is followed, as the store keeps it; `found` once it is over. */
const followedSchema = z.object({
  auditId: z.string(),
  connection: z.string(),
  families: z.array(z.string()),
  startedAt: z.number(),
  endedAt: z.number(),
  found: aftermath.nullable(),
});
type Followed = z.output<typeof followedSchema>;

/** How long what is normal is looked at before, and how long at most misses are followed after. */
const BEFORE_MS = 5 * MINUTE;
const MOST_MS = 30 * MINUTE;
/** History has a step of ten seconds; windows and counters of families come by the minute. */
const STEP_MS = { instance: 10 * SECOND, families: MINUTE };
/** Fewer minutes before say too little of what is normal. */
const LEAST_BEFORE = 3;

/** Normal again: for this many steps in a row at most a quarter above normal, or one miss a second. */
const IN_A_ROW = 3;
const ABOVE = 1.25;
const ABOVE_PER_SECOND = 1;

const DUE = consoleFamilies.aftermaths.key();
const keyOf = (auditId: string): Buffer => consoleFamilies.aftermath.key({ id: auditId });

const keep = (store: Store, followed: Followed): Promise<void> =>
  store.use(async (redis) => {
    await redis.set(keyOf(followed.auditId), JSON.stringify(followed), 'PX', env().auditDays * DAY);
  });

/** Whether it is followed, or was: it is on the charts then. */
export const isFollowed = (store: Store, auditId: string): Promise<boolean> =>
  store.use(async (redis) => (await redis.exists(keyOf(auditId))) === 1);

/** Follows the misses after an invalidation from now on. */
export const beginAftermath = async (store: Store, begun: Omit<Followed, 'found'>): Promise<void> => {
  await keep(store, { ...begun, found: null });
  await store.use((redis) => redis.zadd(DUE, begun.endedAt + MOST_MS, begun.auditId));
};

/** Misses a second in one step; `at` is its beginning. */
export interface Rate {
  at: number;
  perSecond: number;
}

type Course = Pick<
  Aftermath,
  | 'state'
  | 'normalMissesPerSecond'
  | 'peakMissesPerSecond'
  | 'extraMisses'
  | 'normalAt'
  | 'normalAfterSeconds'
>;

const UNKNOWN: Course = {
  ...{ state: 'unknown', normalMissesPerSecond: null, peakMissesPerSecond: null, extraMisses: null },
  ...{ normalAt: null, normalAfterSeconds: null },
};

const round = (value: number): number => Math.round(value * 100) / 100;

interface Span {
  startedAt: number;
  endedAt: number;
  now: number;
  stepMs: number;
}

/** Where the first steps in a row begin that are as they were before. */
const normalAgain = (after: readonly Rate[], { endedAt, stepMs }: Span, limit: number): number | null => {
  let row = 0;
  for (const [i, { at, perSecond }] of after.entries()) {
    const follows = row > 0 && at - after[i - 1]!.at <= stepMs;
    const fits = perSecond <= limit && at + stepMs > endedAt;
    row = fits ? (follows ? row + 1 : 1) : 0;
    if (row === IN_A_ROW) return after[i - IN_A_ROW + 1]!.at;
  }
  return null;
};

/** How misses went: what was normal, how far above they rose, and when they were back. */
export const courseOf = (rates: readonly Rate[], span: Span): Course => {
  const { startedAt, endedAt, now, stepMs } = span;
  const before = rates.filter(({ at }) => at + stepMs <= startedAt);
  const after = rates.filter(({ at }) => at + stepMs > startedAt);
  const over = now >= endedAt + MOST_MS;
  if (before.length === 0) return { ...UNKNOWN, state: over ? 'unknown' : 'following' };
  const normal = before.reduce((sum, { perSecond }) => sum + perSecond, 0) / before.length;
  const at = normalAgain(after, span, Math.max(normal * ABOVE, normal + ABOVE_PER_SECOND));
  const surge = at === null ? after : after.filter((rate) => rate.at < at);
  const extra = surge.reduce((sum, { perSecond }) => sum + Math.max(0, perSecond - normal), 0);
  const back = at === null ? null : Math.max(at, endedAt);
  return {
    state: back !== null ? 'normal' : over ? 'given-up' : 'following',
    normalMissesPerSecond: round(normal),
    peakMissesPerSecond: after.length > 0 ? Math.max(...after.map(({ perSecond }) => perSecond)) : null,
    extraMisses: Math.round((extra * stepMs) / SECOND),
    normalAt: isoOrNull(back),
    normalAfterSeconds: back === null ? null : Math.round((back - endedAt) / SECOND),
  };
};

interface Measured {
  source: 'families' | 'instance';
  rates: Rate[];
}

/** The instance's misses, the console's own taken out. */
const missesOfInstance = async (store: Store, followed: Followed, now: number): Promise<Measured> => {
  const to = Math.min(now, followed.endedAt + MOST_MS);
  const range = { from: followed.startedAt - BEFORE_MS, to, stepMs: STEP_MS.instance };
  const { points, stepSeconds } = await readSeries(store, followed.connection, range, now);
  const rates = points.map(({ at, misses }) => ({ at: Date.parse(at), perSecond: misses / stepSeconds }));
  return { source: 'instance', rates };
};

/** Misses of the families touched, by the minute. */
const byMinute = (spans: readonly HitRateSpan[], families: readonly string[]): Rate[] =>
  groupSpans(spans, STEP_MS.families)
    .filter(({ seconds }) => seconds > 0)
    .map((span) => {
      const misses = families.reduce((sum, family) => sum + (span.families[family]?.[1] ?? 0), 0);
      return { at: span.at, perSecond: misses / span.seconds };
    });

/**
 * The misses of the families themselves, where the application counts them; else the instance's. A window is a second of
 * a minute: what is refilled within seconds lies outside nearly all of them, and would be called no surge.
 */
const missesOf = async (store: Store, followed: Followed, now: number): Promise<Measured> => {
  const { connection, families, startedAt, endedAt } = followed;
  const from = startedAt - BEFORE_MS;
  const spans = await readSpans(store, connection, 'counters', from, Math.min(now, endedAt + MOST_MS));
  const knows = families.every((family) => spans.some((span) => span.families[family] !== undefined));
  const rates = knows && families.length > 0 ? byMinute(spans, families) : [];
  const before = rates.filter(({ at }) => at + STEP_MS.families <= startedAt);
  if (before.length >= LEAST_BEFORE) return { source: 'families', rates };
  return missesOfInstance(store, followed, now);
};

/** How misses went until now. */
const lookBack = async (store: Store, followed: Followed, now: number): Promise<Aftermath> => {
  const { startedAt, endedAt, families } = followed;
  const { source, rates } = await missesOf(store, followed, now);
  const course = courseOf(rates, { startedAt, endedAt, now, stepMs: STEP_MS[source] });
  return {
    ...course,
    source: course.state === 'unknown' ? null : source,
    families,
    startedAt: iso(startedAt),
    endedAt: iso(endedAt),
    followedUntil: iso(Math.min(now, endedAt + MOST_MS)),
  };
};

const read = (store: Store, auditId: string): Promise<Followed | null> =>
  store.use(async (redis) => parseStored(followedSchema, await redis.get(keyOf(auditId))));

/** What followed an invalidation of this connection: as it was found, or as it is until now; null when none was. */
export const readAftermath = async (
  store: Store,
  connection: string,
  auditId: string,
  now: number,
): Promise<Aftermath | null> => {
  const followed = await read(store, auditId);
  if (!followed || followed.connection !== connection) return null;
  return followed.found ?? lookBack(store, followed, now);
};

const AT_ONCE = 100;

/** Looks at all that are followed, and keeps what was found of those that are over. Any process may, at any time. */
export const followAftermaths = async (store: Store, now = Date.now()): Promise<void> => {
  const due = await store.use((redis) => redis.zrangebyscore(DUE, '-inf', '+inf', 'LIMIT', 0, AT_ONCE));
  for (const auditId of due) {
    const followed = await read(store, auditId);
    const found = followed && (followed.found ?? (await lookBack(store, followed, now)));
    if (found?.state === 'following') continue;
    if (followed && found) await keep(store, { ...followed, found });
    await store.use((redis) => redis.zrem(DUE, auditId));
  }
};

import 'server-only';
import { z } from 'zod';
import type { ReadContext } from '@/lib/command/context';
import { env } from '@/lib/configuration';
import type { Input } from '@/lib/contract';
import { notFound } from '@/lib/errors';
import { readSeries } from '@/lib/history/reads';
import { groupSpans, type HitRateSpan, readSpans } from '@/lib/hit-rates/spans';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY, iso, MINUTE, SECOND } from '@/lib/time';
import { MAX_FOLLOWED_MS, type Rate, recoveryProgress } from './recovery-progress';
import { type familyContracts, type Recovery, recovery } from './schema';

/** A followed invalidation as stored; with `found` once it is over. */
const followedSchema = z.object({
  auditId: z.string(),
  connection: z.string(),
  families: z.array(z.string()),
  startedAt: z.number(),
  endedAt: z.number(),
  found: recovery.nullable(),
});
type Followed = z.output<typeof followedSchema>;

/** The time before the invalidation that defines the normal rate. */
const BEFORE_MS = 5 * MINUTE;
/** The server's history has steps of ten seconds, windows and counters have steps of a minute. */
const STEP_MS = { instance: 10 * SECOND, families: MINUTE };
/** Minutes needed before the invalidation to determine the normal rate. */
const MIN_STEPS_BEFORE = 3;

const DUE = consoleFamilies.recoveries.key();
const keyOf = (auditId: string): Buffer => consoleFamilies.recovery.key({ id: auditId });

const save = (store: Store, followed: Followed): Promise<void> =>
  store.use(async (redis) => {
    await redis.set(keyOf(followed.auditId), JSON.stringify(followed), 'PX', env().auditDays * DAY);
  });

/** Whether its recovery is or was followed, so that it is already on the charts. */
export const isRecoveryFollowed = (store: Store, auditId: string): Promise<boolean> =>
  store.use(async (redis) => (await redis.exists(keyOf(auditId))) === 1);

/** Starts following the misses after an invalidation. */
export const startRecovery = async (store: Store, started: Omit<Followed, 'found'>): Promise<void> => {
  await save(store, { ...started, found: null });
  await store.use((redis) => redis.zadd(DUE, started.endedAt + MAX_FOLLOWED_MS, started.auditId));
};

interface Measured {
  source: 'families' | 'instance';
  rates: Rate[];
}

/** The misses of the instance, without the console's own. */
const missesOfInstance = async (store: Store, followed: Followed, now: number): Promise<Measured> => {
  const to = Math.min(now, followed.endedAt + MAX_FOLLOWED_MS);
  const range = { from: followed.startedAt - BEFORE_MS, to, stepMs: STEP_MS.instance };
  const { points, stepSeconds } = await readSeries(store, followed.connection, range, now);
  const rates = points.map(({ at, misses }) => ({ at: Date.parse(at), perSecond: misses / stepSeconds }));
  return { source: 'instance', rates };
};

/** Misses of the invalidated families per minute. */
const byMinute = (spans: readonly HitRateSpan[], families: readonly string[]): Rate[] =>
  groupSpans(spans, STEP_MS.families)
    .filter(({ seconds }) => seconds > 0)
    .map((span) => {
      const misses = families.reduce((sum, family) => sum + (span.families[family]?.[1] ?? 0), 0);
      return { at: span.at, perSecond: misses / span.seconds };
    });

/**
 * Misses of the families where the application counts them, otherwise of the instance. Windows are not used: a cache
 * is often refilled within seconds, between two of them.
 */
const missesOf = async (store: Store, followed: Followed, now: number): Promise<Measured> => {
  const { connection, families, startedAt, endedAt } = followed;
  const from = startedAt - BEFORE_MS;
  const spans = await readSpans(
    store,
    connection,
    'counters',
    from,
    Math.min(now, endedAt + MAX_FOLLOWED_MS),
  );
  const knows = families.every((family) => spans.some((span) => span.families[family] !== undefined));
  const rates = knows && families.length > 0 ? byMinute(spans, families) : [];
  const before = rates.filter(({ at }) => at + STEP_MS.families <= startedAt);
  if (before.length >= MIN_STEPS_BEFORE) return { source: 'families', rates };
  return missesOfInstance(store, followed, now);
};

/** The recovery so far. */
const measureRecovery = async (store: Store, followed: Followed, now: number): Promise<Recovery> => {
  const { startedAt, endedAt, families } = followed;
  const { source, rates } = await missesOf(store, followed, now);
  const progress = recoveryProgress(rates, { startedAt, endedAt, now, stepMs: STEP_MS[source] });
  return {
    ...progress,
    source: progress.state === 'unknown' ? null : source,
    families,
    startedAt: iso(startedAt),
    endedAt: iso(endedAt),
    followedUntil: iso(Math.min(now, endedAt + MAX_FOLLOWED_MS)),
  };
};

const read = (store: Store, auditId: string): Promise<Followed | null> =>
  store.use(async (redis) => parseStored(followedSchema, await redis.get(keyOf(auditId))));

/** The recovery after an invalidation of this connection, or its state so far; null without one. */
export const readRecovery = async (
  store: Store,
  connection: string,
  auditId: string,
  now: number,
): Promise<Recovery | null> => {
  const followed = await read(store, auditId);
  if (!followed || followed.connection !== connection) return null;
  return followed.found ?? measureRecovery(store, followed, now);
};

/** families.recovery: the misses after an invalidation. */
export const recoveryOf = async (
  ctx: ReadContext,
  { auditId }: Input<typeof familyContracts.recovery>,
): Promise<Recovery> => {
  const recovery = await readRecovery(ctx.store, ctx.connection.config.id, auditId, ctx.now());
  if (!recovery) throw notFound('An invalidation that deleted something and has this audit id');
  return recovery;
};

const MAX_PER_UPDATE = 100;

/** Stores the result of each recovery that is over. Any process may run it at any time. */
export const updateRecoveries = async (store: Store, now = Date.now()): Promise<void> => {
  const due = await store.use((redis) =>
    redis.zrangebyscore(DUE, '-inf', '+inf', 'LIMIT', 0, MAX_PER_UPDATE),
  );
  for (const auditId of due) {
    const followed = await read(store, auditId);
    const recovery = followed && (followed.found ?? (await measureRecovery(store, followed, now)));
    if (recovery?.state === 'following') continue;
    if (followed && recovery) await save(store, { ...followed, found: recovery });
    await store.use((redis) => redis.zrem(DUE, auditId));
  }
};

import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadContext } from '@/lib/command/context';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { logBroken } from '@/lib/log';
import { processWide } from '@/lib/process-wide';
import { withLease } from '@/lib/redis/lease';
import { SingleFlight } from '@/lib/single-flight';
import { parseStored } from '@/lib/stored-json';
import { DAY, MINUTE, SECOND } from '@/lib/time';
import { SMALL_KEYSPACE } from './keyspace';
import type { SessionStats } from './schema';
import { type Count, countSchema, countSessions } from './survey';

const LEASE_MS = 10 * SECOND;
/** How long a request waits for a count of a large keyspace before it returns the previous one. */
const TIMEOUT_MS = 2 * SECOND;

/** How long the overview waits for a count. */
const OVERVIEW_TIMEOUT_MS = SECOND / 2;

/** How long a count stays fresh, depending on its cost. */
const freshForMs = (keys: number): number => {
  if (keys < SMALL_KEYSPACE) return 15 * SECOND;
  return keys < 500_000 ? MINUTE : 5 * MINUTE;
};

const NEVER: SessionStats = {
  sessions: null,
  users: null,
  byState: null,
  oauth: [],
  verifications: [],
  oauthStates: null,
  countedAt: null,
  counting: true,
};

const keyOf = (ctx: ReadContext): Buffer =>
  consoleFamilies.sessionStats.key({ connection: ctx.connection.config.id });

const readLast = (ctx: ReadContext): Promise<Count | null> =>
  ctx.store.use(async (redis) => parseStored(countSchema, await redis.get(keyOf(ctx))));

const storeCount = (ctx: ReadContext, count: Count): Promise<void> =>
  ctx.store.use(async (redis) => {
    await redis.set(keyOf(ctx), JSON.stringify(count), 'PX', DAY);
  });

/** Counts unless another process is counting, and stores the result. */
const countUnderLease = async (ctx: ReadContext): Promise<void> => {
  const lease = consoleFamilies.lease.key({ name: `session-stats-${ctx.connection.config.id}` });
  await withLease(ctx.store, lease, { ms: LEASE_MS, renewed: true }, async () =>
    storeCount(ctx, await countSessions(ctx)),
  );
};

const counts = processWide('session-counts', () => new SingleFlight<void>());

const countOnce = (ctx: ReadContext): Promise<void> => {
  const { id } = ctx.connection.config;
  return counts().run(id, () => {
    const count = countUnderLease(ctx);
    count.catch((error: unknown) => logBroken(`the count of sessions of ${id}`, error));
    return count;
  });
};

const isFresh = (last: Count | null, keys: number, now: number): boolean =>
  last !== null && now - Date.parse(last.countedAt) < freshForMs(keys);

/** The stored count. An old one is renewed in the background, once for all readers. */
const readStored = async (
  ctx: ReadContext,
  keys: number,
  timeoutMs: (last: Count | null) => number,
): Promise<SessionStats> => {
  const last = await readLast(ctx);
  if (last && isFresh(last, keys, ctx.now())) return { ...last, counting: false };
  const done = await Promise.race([countOnce(ctx).then(() => true), sleep(timeoutMs(last), false)]);
  const now = done ? await readLast(ctx) : last;
  return now ? { ...now, counting: !done } : NEVER;
};

/** The number of sessions and tokens. A small keyspace is counted during the request, a large one in the background. */
export const readStats = async (ctx: ReadContext): Promise<SessionStats> => {
  const keys = await ctx.reader.size();
  if (keys >= SMALL_KEYSPACE) return readStored(ctx, keys, (last) => (last ? 0 : TIMEOUT_MS));
  const count = await countSessions(ctx);
  // For the overview. Without the store the count is still returned.
  await storeCount(ctx, count).catch(() => undefined);
  return { ...count, counting: false };
};

/** The same count for the overview, which reads the stored one while it is fresh; nulls before the first. */
export const readSessionCount = async (
  ctx: ReadContext,
): Promise<Pick<SessionStats, 'sessions' | 'countedAt'>> => {
  const { sessions, countedAt } = await readStored(ctx, await ctx.reader.size(), () => OVERVIEW_TIMEOUT_MS);
  return { sessions, countedAt };
};

import 'server-only';
import { appendTimed } from '@/lib/history/timed-stream';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { allReplies, type Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';
import { type Period, periodSchema, type Sample, type Watch, watchSchema } from './watch';

/** How many of the heaviest fields a sample stores. */
export const MAX_SAMPLED_FIELDS = 100;
const MAX_PERIODS = 40;
const MAX_CALLERS = 5000;
const CALLERS_TTL_MS = 7 * DAY;

const watchKey = (connection: string) => consoleFamilies.ipWatch.key({ connection });
const periodsKey = (connection: string) => consoleFamilies.ipPeriods.key({ connection });
const callersKey = (connection: string, seen: 'first' | 'last') =>
  consoleFamilies.ipCallers.key({ connection, seen });

export const readWatch = (store: Store, connection: string): Promise<Watch | null> =>
  store.use(async (redis) => parseStored(watchSchema, await redis.get(watchKey(connection))));

/** The last periods that ended after `since` (epoch ms), oldest first; at most `most`. */
export const readPeriods = (
  store: Store,
  connection: string,
  { since, most }: { since: number; most: number },
): Promise<Period[]> =>
  store.use(async (redis) => {
    const rows = (await redis.xrevrange(
      periodsKey(connection),
      '+',
      Math.max(0, Math.floor(since)),
      'COUNT',
      most,
    )) as [string, string[]][];
    return rows.flatMap(([, fields]) => parseStored(periodSchema, fields[1]) ?? []).reverse();
  });

/** When callers were first among the heaviest, in order; null if never, or before watching began. */
export const readFirstSeen = (
  store: Store,
  connection: string,
  ids: readonly string[],
): Promise<(number | null)[]> =>
  store.use(async (redis) => {
    if (ids.length === 0) return [];
    const scores = await redis.zmscore(callersKey(connection, 'first'), ...ids);
    return scores.map((score) => (score && Number(score) > 0 ? Number(score) : null));
  });

const recordCallers = async (store: Store, connection: string, { at, top }: Sample, isFirst: boolean) => {
  if (top.length === 0) return;
  const [first, last] = [callersKey(connection, 'first'), callersKey(connection, 'last')];
  const scored = (score: number) => top.flatMap(([id]) => [score, id]);
  await store.use(async (redis) => {
    const change = redis.multi();
    // A caller of the first sample may have been heavy long before: score 0 means unknown.
    change.zadd(first, 'NX', ...(scored(isFirst ? 0 : at) as [number, string]));
    change.zadd(last, ...(scored(at) as [number, string]));
    change.zcard(last).pexpire(first, CALLERS_TTL_MS).pexpire(last, CALLERS_TTL_MS);
    const [, , callers] = allReplies(await change.exec()) as number[];
    if (callers! <= MAX_CALLERS) return;
    const popped = await redis.zpopmin(last, callers! - MAX_CALLERS);
    await redis.zrem(first, ...popped.filter((_, i) => i % 2 === 0));
  });
};

const storePeriod = async (store: Store, connection: string, ended: Period): Promise<void> => {
  const key = periodsKey(connection);
  await appendTimed(store, key, { at: ended.endedAt, kept: ended, trim: ['MAXLEN', MAX_PERIODS] });
  await store.use((redis) => redis.pexpire(key, DAY));
};

/** Stores what a sample changed: the current period, a period that ended, and when callers were first seen. */
export const storeObserved = async (
  store: Store,
  connection: string,
  { watch: next, ended }: { watch: Watch; ended: Period | null },
): Promise<void> => {
  const newest = next.samples.at(-1)!;
  await store.use((redis) => redis.set(watchKey(connection), JSON.stringify(next), 'PX', DAY));
  if (ended) await storePeriod(store, connection, ended);
  await recordCallers(store, connection, newest, newest.at === next.since);
};

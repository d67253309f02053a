import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { appendTimed } from '@/lib/history/timed-stream';
import { allReplies, type Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';
import { type Period, periodSchema, type Sample, type Watch, watchSchema } from './watch';

/** How many of the heaviest a sample keeps. */
export const KEPT_FIELDS = 100;
const KEPT_PERIODS = 40;
const KEPT_CALLERS = 5000;
const CALLERS_MS = 7 * DAY;

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

/** When callers were first among the heaviest, in order; null where that is not known (before watching began). */
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

const noteCallers = async (store: Store, connection: string, { at, top }: Sample, isFirst: boolean) => {
  if (top.length === 0) return;
  const [first, last] = [callersKey(connection, 'first'), callersKey(connection, 'last')];
  const scored = (score: number) => top.flatMap(([id]) => [score, id]);
  await store.use(async (redis) => {
    const change = redis.multi();
    // Who was there when watching began may have been there for long.
    change.zadd(first, 'NX', ...(scored(isFirst ? 0 : at) as [number, string]));
    change.zadd(last, ...(scored(at) as [number, string]));
    change.zcard(last).pexpire(first, CALLERS_MS).pexpire(last, CALLERS_MS);
    const [, , callers] = allReplies(await change.exec()) as number[];
    if (callers! <= KEPT_CALLERS) return;
    const popped = await redis.zpopmin(last, callers! - KEPT_CALLERS);
    await redis.zrem(first, ...popped.filter((_, i) => i % 2 === 0));
  });
};

const keepPeriod = async (store: Store, connection: string, ended: Period): Promise<void> => {
  const key = periodsKey(connection);
  await appendTimed(store, key, { at: ended.endedAt, kept: ended, trim: ['MAXLEN', KEPT_PERIODS] });
  await store.use((redis) => redis.pexpire(key, DAY));
};

/** Keeps what a sample changed: the present period, one that ended, and who was seen first. */
export const keepObserved = async (
  store: Store,
  connection: string,
  { watch: next, ended }: { watch: Watch; ended: Period | null },
): Promise<void> => {
  const newest = next.samples.at(-1)!;
  await store.use((redis) => redis.set(watchKey(connection), JSON.stringify(next), 'PX', DAY));
  if (ended) await keepPeriod(store, connection, ended);
  await noteCallers(store, connection, newest, newest.at === next.since);
};

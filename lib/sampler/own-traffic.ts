import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { allReplies, type Store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';

type Totals = { hits: number; misses: number; commands: number };

const keyOf = (connection: string): Buffer => consoleFamilies.ownTraffic.key({ connection });

const parse = (report: string): Totals & { at: number } => {
  const [hits = 0, misses = 0, commands = 0, at = 0] = report.split(':').map(Number);
  return { hits, misses, commands, at };
};

/** Reports this process's own traffic on a server to the sampling process, as totals since the process started. */
export const reportOwnTraffic = (
  store: Store,
  handle: ConnectionHandle,
  process: string,
  now = Date.now(),
): Promise<void> =>
  store.use(async (redis) => {
    const key = keyOf(handle.config.id);
    const { hits, misses, commands } = handle.own.snapshot();
    const report = `${hits}:${misses}:${commands}:${now}`;
    allReplies(await redis.pipeline().hset(key, process, report).pexpire(key, DAY).exec());
  });

/** Sum of the own traffic of the other processes. Totals of ended processes stay, because the sum must not shrink. */
export const othersTraffic = (store: Store, connection: string, self: string): Promise<Totals> =>
  store.use(async (redis) => {
    const all = await redis.hgetall(keyOf(connection));
    const sum: Totals = { hits: 0, misses: 0, commands: 0 };
    for (const [process, text] of Object.entries(all)) {
      if (process === self) continue;
      const { hits, misses, commands } = parse(text);
      sum.hits += hits;
      sum.misses += misses;
      sum.commands += commands;
    }
    return sum;
  });

/** Deletes the totals of processes that ended a day ago. Only before the first reading: the sum must not shrink between two. */
export const deleteOldTraffic = (store: Store, connection: string, now = Date.now()): Promise<void> =>
  store.use(async (redis) => {
    const all = await redis.hgetall(keyOf(connection));
    const old = Object.keys(all).filter((process) => now - parse(all[process]!).at > DAY);
    if (old.length > 0) await redis.hdel(keyOf(connection), ...old);
  });

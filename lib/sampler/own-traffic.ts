import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { Store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';

type Totals = { hits: number; misses: number; commands: number };

/** Tells the sampling process what this one added to a server's counters, as totals since it started. */
export const reportOwnTraffic = (store: Store, handle: ConnectionHandle, process: string): Promise<void> =>
  store.use(async (redis) => {
    const key = consoleFamilies.ownTraffic.key({ connection: handle.config.id });
    const { hits, misses, commands } = handle.own.snapshot();
    await redis.pipeline().hset(key, process, `${hits}:${misses}:${commands}`).pexpire(key, DAY).exec();
  });

/** What the other processes added, summed. Totals of processes that are gone stay: they only ever count once. */
export const othersTraffic = (store: Store, connection: string, self: string): Promise<Totals> =>
  store.use(async (redis) => {
    const all = await redis.hgetall(consoleFamilies.ownTraffic.key({ connection }));
    const sum: Totals = { hits: 0, misses: 0, commands: 0 };
    for (const [process, text] of Object.entries(all)) {
      if (process === self) continue;
      const [hits, misses, commands] = text.split(':').map(Number);
      sum.hits += hits ?? 0;
      sum.misses += misses ?? 0;
      sum.commands += commands ?? 0;
    }
    return sum;
  });

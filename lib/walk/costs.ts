import 'server-only';
import { z } from 'zod';
import type { ReadContext } from '@/lib/command/context';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY, SECOND } from '@/lib/time';
import { type RunningWalk, type WalkCost, walkContracts, walkCost } from './schema';

/** A walking process confirms its walk at least this often. */
const RUNNING_MS = 15 * SECOND;

const stored = z.object({ at: z.number(), walk: walkContracts.get.result.shape.running.unwrap() });

const keyOf = (connection: string): Buffer => consoleFamilies.walk.key({ connection });

/** Stores that a walk ended, and its cost; null for an incomplete walk. A walk of another process stays recorded. */
export const writeCost = (
  store: Store,
  connection: string,
  startedAt: string,
  cost: WalkCost | null,
): Promise<void> =>
  store.use(async (redis) => {
    const key = keyOf(connection);
    if (cost) await redis.hset(key, 'last', JSON.stringify(cost));
    const running = parseStored(stored, await redis.hget(key, 'running'));
    if (running?.walk.startedAt === startedAt) await redis.hdel(key, 'running');
    await redis.pexpire(key, 30 * DAY);
  });

export const writeRunning = (store: Store, connection: string, walk: RunningWalk): Promise<void> =>
  store.use(async (redis) => {
    const key = keyOf(connection);
    await redis.hset(key, 'running', JSON.stringify({ at: Date.now(), walk }));
    await redis.pexpire(key, 30 * DAY);
  });

/** walks.get */
export const readWalks = ({ store, connection, now }: Pick<ReadContext, 'store' | 'connection' | 'now'>) =>
  store.use(async (redis) => {
    const [last, running] = await redis.hmget(keyOf(connection.config.id), 'last', 'running');
    const current = parseStored(stored, running);
    return {
      last: parseStored(walkCost, last),
      running: current && now() - current.at < RUNNING_MS ? current.walk : null,
    };
  });

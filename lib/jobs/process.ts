import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { newId } from '@/lib/ids';
import { processWide } from '@/lib/process-wide';
import type { Store } from '@/lib/redis/store';

/** How long a process counts as alive after its last sign of life, ms. */
const ALIVE_MS = 6000;

/** This process's name among several, new at each start. */
export const processId = processWide('process-id', () => newId());

export const signOfLife = (store: Store): Promise<void> =>
  store.use(async (redis) => {
    await redis.set(consoleFamilies.process.key({ id: processId() }), String(process.pid), 'PX', ALIVE_MS);
  });

export const isAlive = (store: Store, id: string): Promise<boolean> =>
  store.use(async (redis) => (await redis.exists(consoleFamilies.process.key({ id }))) === 1);

import 'server-only';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { parseInfo } from '@/lib/redis/info';
import { touchesKeys } from '@/lib/redis/no-touch';
import { CURSORS, readyClient } from '@/lib/redis/topology';
import type { Wanted } from './collector';

/** What reading lengths changes: nothing, idle times, or also which keys the server evicts. */
export type Touch = 'nothing' | 'idle times' | 'eviction';

/** Without INFO the server must be assumed to evict by use. */
const evictsByUse = (info: string | null): boolean => {
  if (info === null) return true;
  const fields = parseInfo(info);
  return fields.get('maxmemory') !== '0' && /lru|lfu/.test(fields.get('maxmemory_policy') ?? 'lru');
};

export const touchOf = async (handle: ConnectionHandle): Promise<Touch> => {
  let touch: Touch = 'nothing';
  for (const node of await knownPrimaries(handle)) {
    const redis = await readyClient(handle.config.id, node, CURSORS);
    if (!(await touchesKeys(redis))) continue;
    const info = await redis.info('memory').catch(() => null);
    node.own.commands += 1;
    if (evictsByUse(info)) return 'eviction';
    touch = 'idle times';
  }
  return touch;
};

/** Whether lengths are wanted for keys by their position, not only by their size. */
export const wantsLengths = (want: Wanted | undefined): boolean =>
  want?.lengths === 'all' || want?.lengths === 'sample';

/** The wants reduced to the lengths of some keys, and of those that may be long by their memory. */
export const withFewLengths = (want: Wanted): Wanted =>
  wantsLengths(want) ? { ...want, lengths: 'some', memory: want.memory === 'exact' ? 'exact' : 'all' } : want;

/** Longer than a walk usually takes, seconds. */
const LONG_IDLE = 60;

/** Whether reading lengths reset idle times of interest. */
export const hasLongIdle = (idle: readonly (number | null)[]): boolean =>
  idle.some((seconds) => seconds !== null && seconds >= LONG_IDLE);

const WHY =
  'reading one counts as use of the key here (before Redis 7.2, in a cluster, or without CLIENT NO-TOUCH)';
export const FEW_LENGTHS = `Lengths were read of some keys only: ${WHY}.`;
export const IDLE_ENDED = `Idle times begin again with this walk, which read all lengths: ${WHY}.`;

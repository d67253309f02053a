import 'server-only';
import { processWidePer } from '@/lib/process-wide';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';

/** More are found by the probe itself. */
const MAX_NOTICED = 1000;

const noticedOf = processWidePer('noticed queues', (_: ConnectionHandle) => new Map<string, Key>());

/** Queues that somebody looks at: they are sampled from now on, not when the next scan finds them. */
export const noticeQueues = (handle: ConnectionHandle, keys: readonly Key[]): void => {
  const known = noticedOf(handle);
  for (const key of keys) if (known.size < MAX_NOTICED) known.set(key.toString('latin1'), key);
};

/** Those noticed since the last call. */
export const takeNoticed = (handle: ConnectionHandle): Key[] => {
  const keys = [...noticedOf(handle).values()];
  noticedOf(handle).clear();
  return keys;
};

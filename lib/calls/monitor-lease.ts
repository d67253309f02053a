import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { digest } from '@/lib/keyring';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';

/** Flags and MONITOR belong to the server, so connections to the same server share one lease. */
const leaseOf = (use: 'window' | 'profile', { server }: ConnectionHandle): Buffer =>
  consoleFamilies.lease.key({ name: `${use}-${digest('cursor', Buffer.from(server), 22)}` });

/** Time beyond the window itself: to connect, for two fences, and to restore the flags. */
const SPARE_MS = 15 * SECOND;
/** How long a profile holds a lease whose process died. */
const RENEWED_MS = 9 * SECOND;

export type MonitorUse = 'window' | 'profile';

type Leased<T> = ReturnType<typeof withLease<T>>;

/**
 * Runs the `work` of a window unless MONITOR is read on the server already, in this process or another. With two windows
 * open, the flags that one restores would be missing for the other; two readers cost twice.
 */
export const withMonitorLease = <T>(
  store: Store,
  handle: ConnectionHandle,
  ms: number,
  work: () => Promise<T>,
): Leased<T> =>
  withLease(store, leaseOf('window', handle), { ms: Math.ceil(ms) + SPARE_MS, by: 'window ' }, work);

/** As `withMonitorLease`, for a profile: it changes nothing on the server, so its lease may be short. */
export const withMonitorForProfile = <T>(
  store: Store,
  handle: ConnectionHandle,
  work: () => Promise<T>,
): Leased<T> =>
  withLease(store, leaseOf('window', handle), { ms: RENEWED_MS, renewed: true, by: 'profile ' }, work);

/** Runs `work` unless another profile of the server is under way. It may still have to wait for a window. */
export const withProfileLease = <T>(
  store: Store,
  handle: ConnectionHandle,
  work: () => Promise<T>,
): Leased<T> => withLease(store, leaseOf('profile', handle), { ms: RENEWED_MS, renewed: true }, work);

export const isProfiling = (store: Store, handle: ConnectionHandle): Promise<boolean> =>
  store.use(async (redis) => (await redis.exists(leaseOf('profile', handle))) === 1);

/** What reads MONITOR of the server, or did when its process died; null for nothing. */
export const monitorUse = async (store: Store, handle: ConnectionHandle): Promise<MonitorUse | null> => {
  const holder = await store.use((redis) => redis.get(leaseOf('window', handle)));
  if (holder === null) return null;
  return holder.startsWith('profile ') ? 'profile' : 'window';
};

export const isWindowOpen = async (store: Store, handle: ConnectionHandle): Promise<boolean> =>
  (await monitorUse(store, handle)) === 'window';

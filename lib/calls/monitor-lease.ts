import 'server-only';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { readyClient } from '@/lib/redis/topology';
import { SECOND } from '@/lib/time';

export type MonitorUse = 'window' | 'profile';

type Leased<T> = ReturnType<typeof withLease<T>>;

/** Flags and MONITOR belong to the server, so connections to one server share its lease. */
const leaseOf = (use: MonitorUse, place: string): Buffer =>
  consoleFamilies.lease.key({ name: `${use}-${digest('cursor', Buffer.from(place), 22)}` });

/** The leases of all primaries, in an order that all connections share. */
const leasesOf = async (use: MonitorUse, handle: ConnectionHandle): Promise<Buffer[]> => {
  const nodes = await knownPrimaries(handle);
  // Its place is known once it is connected to.
  await Promise.all(nodes.map((node) => readyClient(handle.config.id, node, 'read').catch(() => undefined)));
  return nodes
    .map(({ id }) => id)
    .sort()
    .map((place) => leaseOf(use, place));
};

/** Runs `work` while holding all of the leases, or none. */
const withLeases = async <T>(
  store: Store,
  [lease, ...others]: readonly Buffer[],
  options: Parameters<typeof withLease>[2],
  work: () => Promise<T>,
): Leased<T> => {
  if (!lease) return { ok: true, value: await work() };
  const held = await withLease(store, lease, options, () => withLeases(store, others, options, work));
  return held.ok ? held.value : held;
};

/** Time beyond the window itself: to connect, for two fences, and to restore the flags. */
const SPARE_MS = 15 * SECOND;
/** How long a profile holds a lease whose process died. */
const RENEWED_MS = 9 * SECOND;

/**
 * Runs the `work` of a window unless MONITOR is read on the server already, in this process or another. With two windows
 * open, the flags that one restores would be missing for the other; two readers cost twice.
 */
export const withMonitorLease = async <T>(
  store: Store,
  handle: ConnectionHandle,
  ms: number,
  work: () => Promise<T>,
): Leased<T> =>
  withLeases(store, await leasesOf('window', handle), { ms: Math.ceil(ms) + SPARE_MS, by: 'window ' }, work);

/** As `withMonitorLease`, for a profile: it changes nothing on the server, so its lease may be short. */
export const withMonitorForProfile = async <T>(
  store: Store,
  handle: ConnectionHandle,
  work: () => Promise<T>,
): Leased<T> =>
  withLeases(
    store,
    await leasesOf('window', handle),
    { ms: RENEWED_MS, renewed: true, by: 'profile ' },
    work,
  );

/** Runs `work` unless another profile of the server is under way. It may still have to wait for a window. */
export const withProfileLease = async <T>(
  store: Store,
  handle: ConnectionHandle,
  work: () => Promise<T>,
): Leased<T> => withLeases(store, await leasesOf('profile', handle), { ms: RENEWED_MS, renewed: true }, work);

export const isProfiling = async (store: Store, handle: ConnectionHandle): Promise<boolean> => {
  const leases = await leasesOf('profile', handle);
  return store.use(async (redis) => (await redis.exists(...leases)) > 0);
};

/** What reads MONITOR of one of the servers, or did when its process died; null for nothing. */
export const monitorUse = async (store: Store, handle: ConnectionHandle): Promise<MonitorUse | null> => {
  const leases = await leasesOf('window', handle);
  const holder = (await store.use((redis) => redis.mget(...leases))).find((by) => by !== null);
  if (!holder) return null;
  return holder.startsWith('profile ') ? 'profile' : 'window';
};

export const isWindowOpen = async (store: Store, handle: ConnectionHandle): Promise<boolean> =>
  (await monitorUse(store, handle)) === 'window';

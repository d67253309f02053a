import 'server-only';
import { newId } from '@/lib/ids';
import type { Store } from './store';

/** Takes a lease, or renews it for its owner. Returns whether the owner holds it now. */
export const takeLease = async (store: Store, lease: Buffer, owner: string, ms: number): Promise<boolean> => {
  const [, , held] = (await store.run('lease', [lease], [owner, ms])) as number[];
  return held === 1;
};

/** Releases a lease if `owner` holds it. If the store is unreachable, the lease expires by itself. */
export const releaseLease = async (store: Store, lease: Buffer, owner: string): Promise<void> => {
  await store.run('lease-release', [lease], [owner]).catch(() => undefined);
};

/**
 * Runs `work` while holding a lease. If another process or call holds it, returns `ok: false` without running. The
 * lease expires after `ms` even if the work still runs, unless `renewed`. The lease's value begins with `by`, which
 * tells others who holds it.
 */
export const withLease = async <T>(
  store: Store,
  lease: Buffer,
  { ms, renewed = false, by = '' }: { ms: number; renewed?: boolean; by?: string },
  work: () => Promise<T>,
): Promise<{ ok: true; value: T } | { ok: false }> => {
  const owner = by + newId();
  if (!(await takeLease(store, lease, owner, ms))) return { ok: false };
  const renew = () => void takeLease(store, lease, owner, ms).catch(() => undefined);
  const timer = renewed ? setInterval(renew, ms / 3) : undefined;
  try {
    return { ok: true, value: await work() };
  } finally {
    clearInterval(timer);
    await releaseLease(store, lease, owner);
  }
};

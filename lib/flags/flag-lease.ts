import 'server-only';
import { createHash } from 'node:crypto';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { withLease } from '@/lib/redis/lease';
import { SECOND } from '@/lib/time';

const LEASE_MS = 30 * SECOND;

/**
 * Runs `work` while nobody else, in any process, plans, asks or decides about the same flag: 409 otherwise. The
 * flag's value itself is guarded by compare-and-set.
 */
export const withFlagLease = async <T>(
  { connection, store }: WriteContext,
  flag: string,
  work: () => Promise<T>,
): Promise<T> => {
  // A flag's name may hold what a key of the store may not.
  const digest = createHash('sha256').update(flag).digest('base64url').slice(0, 22);
  const lease = consoleFamilies.lease.key({ name: `flag-${connection.config.id}-${digest}` });
  const done = await withLease(store, lease, { ms: LEASE_MS }, work);
  if (!done.ok)
    throw new Problem(
      'conflict',
      'Somebody is just planning or decideOnRequest something for this flag: look again.',
    );
  return done.value;
};

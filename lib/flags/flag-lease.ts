import 'server-only';
import { createHash } from 'node:crypto';
import type { WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { withLease } from '@/lib/redis/lease';
import { SECOND } from '@/lib/time';

const LEASE_MS = 30 * SECOND;

/**
 * Runs `work` under a lease for the flag's schedule and request, across processes; 409 if someone else holds it. The
 * flag's value needs no lease: compare-and-set guards it.
 */
export const withFlagLease = async <T>(
  { connection, store }: WriteContext,
  flag: string,
  work: () => Promise<T>,
): Promise<T> => {
  // Hashed, because a flag's name may hold characters that store keys must not.
  const digest = createHash('sha256').update(flag).digest('base64url').slice(0, 22);
  const lease = consoleFamilies.lease.key({ name: `flag-${connection.config.id}-${digest}` });
  const done = await withLease(store, lease, { ms: LEASE_MS }, work);
  if (!done.ok)
    throw new Problem(
      'conflict',
      'Someone else is changing the schedule or a request of this flag. Try again.',
    );
  return done.value;
};

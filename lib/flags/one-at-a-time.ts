import 'server-only';
import { createHash } from 'node:crypto';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { WriteContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';

const LONGEST_MS = 30_000;

/**
 * Runs `work` while nobody else, in any process, plans, asks or decides about the same flag: 409 otherwise. The
 * flag's value itself is guarded by compare-and-set.
 */
export const oneAtATime = async <T>(ctx: WriteContext, flag: string, work: () => Promise<T>): Promise<T> => {
  // A flag's name may hold what a key of the store may not.
  const digest = createHash('sha256').update(flag).digest('base64url').slice(0, 22);
  const lease = consoleFamilies.lease.key({ name: `flag-${ctx.connection.config.id}-${digest}` });
  const [, , mine] = (await ctx.store.run('lease', [lease], [ctx.auditId, LONGEST_MS])) as number[];
  if (mine !== 1)
    throw new Problem(
      'conflict',
      'Somebody is just planning or deciding something for this flag: look again.',
    );
  try {
    return await work();
  } finally {
    await ctx.store.run('lease-release', [lease], [ctx.auditId]).catch(() => undefined);
  }
};

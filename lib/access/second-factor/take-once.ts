import 'server-only';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';

/** Whether this is the first use of a code or challenge. It is remembered for `ms`, which is longer than it is accepted. */
export const takeOnce = async (store: Store, what: string, ms: number): Promise<boolean> => {
  const used = consoleFamilies.usedCode.key({ digest: digest('second-factor', what) });
  return (await store.use((redis) => redis.set(used, '1', 'PX', ms, 'NX'))) === 'OK';
};

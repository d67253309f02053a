import 'server-only';
import { toServerInfo } from '@/lib/redis/info';
import type { Store } from '@/lib/redis/store';

/**
 * Why the console's store may lose what it holds: it evicts, or it does not persist (architecture.md). Null when
 * neither is so.
 */
export const storePolicy = (store: Store): Promise<string | null> =>
  store.use(async (redis) => {
    const info = toServerInfo(await redis.info(), redis.options.db ?? 0, 0);
    if (info.maxMemoryBytes > 0 && info.maxMemoryPolicy !== 'noeviction')
      return `Keyward's store may evict users, audit and undo records (maxmemory-policy ${info.maxMemoryPolicy})`;
    if (!info.aofEnabled) return "Keyward's store has no append-only file: a crash loses the newest records";
    return null;
  });

import 'server-only';
import ipaddr from 'ipaddr.js';
import { addressOf } from '@/lib/redis/client';
import { toServerInfo } from '@/lib/redis/info';
import type { Store } from '@/lib/redis/store';

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');

/** How strangers may get into the console's store, or read along; null for a socket, and a password that nobody sees on its way. */
export const storeDoor = (url: string): string | null => {
  const { path, host = '', password, tls } = addressOf(url);
  if (path) return null;
  if (!password) return "Keyward's store is open to whoever reaches its port: it has no password";
  if (tls || isThisMachine(host)) return null;
  return "Keyward's store is on another host without TLS: whoever is on the way reads its password and all it holds";
};

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

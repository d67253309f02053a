import 'server-only';
import ipaddr from 'ipaddr.js';
import type { Env } from '@/lib/configuration';
import { addressOf } from '@/lib/redis/client';
import { toServerInfo } from '@/lib/redis/info';
import type { Store } from '@/lib/redis/store';
import type { Attention } from './schema';

export type StoreProblem = Pick<Attention, 'text' | 'values'>;

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');

/**
 * How strangers could access or intercept the console's store; null for a socket, or a password that is sent
 * encrypted.
 */
export const storeDoor = ({
  storeUrl,
  storeSentinel,
}: Pick<Env, 'storeUrl' | 'storeSentinel'>): StoreProblem | null => {
  const { path, host = '', password, tls } = addressOf(storeUrl!);
  if (path) return null;
  if (!password)
    return {
      text: "Keyward's store has no password: anyone who reaches its port can read and change it",
      values: { kind: 'open' },
    };
  // The primary's host is considered as remote as the Sentinels.
  const hosts = storeSentinel?.nodes.map((node) => addressOf(`redis://${node}`).host ?? '') ?? [host];
  if (tls || hosts.every(isThisMachine)) return null;
  return {
    text: "Keyward's store is on another host without TLS: its password and data cross the network in plain text",
    values: { kind: 'plain' },
  };
};

/** Why the console's store may lose data: it evicts, or it does not persist. Null when it does neither. */
export const storePolicy = (store: Store): Promise<StoreProblem | null> =>
  store.use(async (redis) => {
    const info = toServerInfo(await redis.info(), redis.options.db ?? 0, 0);
    if (info.maxMemoryBytes > 0 && info.maxMemoryPolicy !== 'noeviction')
      return {
        text: `Keyward's store may evict users, audit and undo records (maxmemory-policy ${info.maxMemoryPolicy})`,
        values: { kind: 'evicts', policy: info.maxMemoryPolicy },
      };
    if (!info.aofEnabled)
      return {
        text: "Keyward's store has no append-only file: a crash loses the newest records",
        values: { kind: 'volatile', policy: info.maxMemoryPolicy },
      };
    return null;
  });

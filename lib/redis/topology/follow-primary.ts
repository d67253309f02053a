import 'server-only';
import type { Redis, RedisOptions } from 'ioredis';
import type { SentinelConfig } from '@/lib/configuration';
import { connectorTo, goOnAt, type OpenSockets } from './primary-connector';
import { SentinelWatch } from './sentinel-watch';

/**
 * Follows the primary that Sentinels name: clients with this connector connect to it, and leave a server that was
 * replaced. `clients` reconnect immediately when the primary changes.
 */
export const followPrimary = (
  config: SentinelConfig,
  clients: () => Iterable<Redis>,
): { Connector: NonNullable<RedisOptions['Connector']>; close(): void } => {
  const open: OpenSockets = new Set();
  const watch = new SentinelWatch(config, (address) => {
    goOnAt(address, open, clients());
  });
  return { Connector: connectorTo(watch, open)!, close: () => watch.close() };
};

import 'server-only';
import type { ConnectionConfig } from '@/lib/env';
import { connectTo, DEDICATED, endpointOf } from '../client';
import type { Shared, Topology } from '../topology';
import { makeNode } from './node';
import { connectorTo, type OpenSockets } from './primary-connector';
import { SentinelWatch } from './sentinel-watch';

/**
 * The server that the Sentinels of a connection name as primary. There is one node: after a failover it is another
 * process at another address.
 */
export const sentinel = (config: ConnectionConfig, shared: Shared): Topology => {
  const open: OpenSockets = new Set();
  const watch = new SentinelWatch(config.sentinel!, (address) => {
    // Whoever is connected to another server leaves it, also a server that is silent, and nobody waits to try again.
    for (const each of open) if (each.address !== address) each.stream.destroy();
    for (const { redis } of node.clients())
      if (redis.status === 'reconnecting') redis.connect().catch(() => undefined);
  });
  const Connector = connectorTo(watch, open);
  const node = makeNode({
    ...{ connection: config.id, name: config.sentinel!.name, scan: config.scan, shared },
    connect: (purpose) => connectTo(config, purpose, { Connector }),
    dedicated: (purpose) => connectTo(config, purpose, { ...DEDICATED, Connector }),
  });
  return {
    kind: 'sentinel',
    primaries: () => [node],
    nodeOf: () => node,
    known: async () => {},
    redirected: async () => null,
    at: (address, purpose) => connectTo(config, purpose, { ...DEDICATED, ...endpointOf(address) }),
    close: () => {
      node.close();
      watch.close();
    },
  };
};

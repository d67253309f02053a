import 'server-only';
import type { ConnectionConfig } from '@/lib/env';
import { connectTo, DEDICATED, endpointOf } from '../client';
import type { Shared, Topology } from '../topology';
import { makeNode } from './node';

/**
 * The server that the Sentinels of a connection name as primary. There is one node: after a failover it is another
 * process at another address.
 */
export const sentinel = (config: ConnectionConfig, shared: Shared): Topology => {
  const dedicated = (purpose: string) => connectTo(config, purpose, DEDICATED);
  const node = makeNode({
    ...{
      connection: config.id,
      name: config.sentinel?.name ?? config.id,
      scan: config.scan,
      shared,
      dedicated,
    },
    connect: (purpose) => connectTo(config, purpose),
  });
  return {
    kind: 'sentinel',
    primaries: () => [node],
    nodeOf: () => node,
    at: (address, purpose) =>
      connectTo(config, purpose, { ...DEDICATED, sentinels: undefined, ...endpointOf(address) }),
    close: () => node.close(),
  };
};

import 'server-only';
import type { ConnectionConfig } from '@/lib/configuration';
import { connectTo, DEDICATED, endpointOf } from '../client';
import type { Shared, Topology } from '../topology';
import { followPrimary } from './follow-primary';
import { makeNode, onOneNode } from './node';

/**
 * The server that the Sentinels of a connection name as primary. It is one node: after a failover it is another
 * process at another address.
 */
export const sentinel = (config: ConnectionConfig, shared: Shared): Topology => {
  const { Connector, close } = followPrimary(config.sentinel!, () =>
    node.clients().map(({ redis }) => redis),
  );
  const node = makeNode({
    connection: config.id,
    name: config.sentinel!.name,
    scan: config.scan,
    shared,
    connect: (purpose) => connectTo(config, purpose, { Connector }),
    dedicated: (purpose) => connectTo(config, purpose, { ...DEDICATED, Connector }),
  });
  return {
    kind: 'sentinel',
    ...onOneNode(node),
    at: (address, purpose) => connectTo(config, purpose, { ...DEDICATED, ...endpointOf(address) }),
    close: () => {
      node.disconnect();
      close();
    },
  };
};

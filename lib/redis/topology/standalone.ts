import 'server-only';
import type { ConnectionConfig } from '@/lib/configuration';
import { addressOf, connectTo, DEDICATED, serverAt } from '../client';
import type { Shared, Topology } from '../topology';
import { makeNode, onOneNode } from './node';

/** One server at the URL of the connection. */
export const standalone = (config: ConnectionConfig, shared: Shared): Topology => {
  const name = serverAt(addressOf(config.url ?? ''));
  const dedicated = (purpose: string) => connectTo(config, purpose, DEDICATED);
  const node = makeNode({
    connection: config.id,
    name,
    scan: config.scan,
    shared,
    dedicated,
    connect: (purpose) => connectTo(config, purpose),
  });
  return {
    kind: 'standalone',
    ...onOneNode(node),
    at: (_address, purpose) => dedicated(purpose),
    close: () => node.disconnect(),
  };
};

import 'server-only';
import type { ConnectionConfig } from '@/lib/configuration';
import { addressOf, connectTo, DEDICATED, serverAt } from '../client';
import type { Shared, Topology } from '../topology';
import { makeNode } from './node';

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
    primaries: () => [node],
    nodeOf: () => node,
    slotsOf: () => null,
    layout: () => '',
    known: async () => {},
    redirected: async () => null,
    at: (_address, purpose) => dedicated(purpose),
    close: () => node.disconnect(),
  };
};

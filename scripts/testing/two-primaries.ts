import type { ConnectionConfig } from '@/lib/configuration';
import { connectTo, DEDICATED, endpointOf } from '@/lib/redis/client';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import type { Node } from '@/lib/redis/topology';
import { makeNode, newShared, type OpenNode } from '@/lib/redis/topology/node';

/** Primaries on standalone servers: a topology for tests only. The sum of a key's bytes determines its node. */
export interface Primaries {
  handle: ConnectionHandle;
  nodes: Node[];
  add(url: string): Node;
  remove(node: Node): void;
  /** Simulates a failover: the node is the server at another URL from now on. */
  move(node: Node, url: string): void;
  close(): void;
}

export const primariesAt = (config: ConnectionConfig, urls: readonly string[]): Primaries => {
  const nodes: OpenNode[] = [];
  const places = new Map<Node, string>();
  const add = (url: string): Node => {
    const at = () => ({ ...config, url: places.get(node) ?? url });
    const node = makeNode({
      connection: config.id,
      name: new URL(url).host,
      scan: config.scan,
      shared: newShared(),
      dedicated: (purpose) => connectTo(at(), purpose, DEDICATED),
      connect: (purpose) => connectTo(at(), purpose),
    });
    nodes.push(node);
    return node;
  };
  for (const url of urls) add(url);
  const closeNode = (node: Node) => (node as OpenNode).close();
  const close = () => nodes.forEach(closeNode);
  return {
    handle: openConnection(config, newShared(), {
      kind: 'cluster',
      primaries: () => [...nodes],
      nodeOf: (key) => nodes[key.reduce((sum, byte) => sum + byte, 0) % nodes.length]!,
      slotsOf: () => null,
      layout: () => '',
      known: async () => {},
      redirected: async () => null,
      at: (address, purpose) => connectTo(config, purpose, { ...DEDICATED, ...endpointOf(address) }),
      close,
    }),
    nodes,
    add,
    remove: (node) => {
      nodes.splice(nodes.indexOf(node as OpenNode), 1);
      closeNode(node);
    },
    move: (node, url) => {
      places.set(node, url);
      (node as OpenNode).disconnect();
    },
    close,
  };
};

import 'server-only';
import type { Redis } from 'ioredis';
import type { ConnectionConfig } from '@/lib/env';
import { type Client, connectTo } from './client';
import type { Key } from './commands';
import { unavailable } from './failure';
import { leaveUntouched } from './no-touch';

/** One primary. Interactive reads, scans and writes use separate clients, so that none waits for another. */
export interface Node {
  id: string;
  client(purpose: Purpose): Client;
  /** Those of its clients that have been created. */
  clients(): readonly Client[];
  /** A separate client that does not reconnect. The caller closes it. */
  dedicated(purpose: string): Client;
}

export type Purpose = 'read' | 'scan' | 'write';

/** All cursors are used on this client only, because a cursor is valid only on the process that issued it. */
export const CURSORS = 'scan' satisfies Purpose;

/** The node's client for a purpose, once it is ready. Throws a 503 `Problem` naming the connection. */
export const readyClient = async (connection: string, node: Node, purpose: Purpose): Promise<Redis> => {
  const client = node.client(purpose);
  await client.ready().catch((error) => {
    throw unavailable(connection, error);
  });
  return client.redis;
};

/**
 * Where keys live. Domains never see nodes: the reader, the writer and scans use "every primary" or "the node of this
 * key", which is where Sentinel and Cluster will be added.
 */
export interface Topology {
  kind: 'standalone' | 'sentinel' | 'cluster';
  primaries(): Node[];
  nodeOf(key: Key): Node;
  close(): void;
}

const lazyClients = (config: ConnectionConfig): Node & { close(): void } => {
  const clients = new Map<Purpose, Client>();
  return {
    id: config.id,
    client(purpose) {
      let client = clients.get(purpose);
      if (!client) {
        client = connectTo(config, purpose);
        if (purpose === CURSORS) leaveUntouched(client.redis);
        clients.set(purpose, client);
      }
      return client;
    },
    clients: () => [...clients.values()],
    dedicated: (purpose) =>
      connectTo(config, purpose, { retryStrategy: () => null, socketTimeout: undefined }),
    close() {
      for (const client of clients.values()) client.close();
      clients.clear();
    },
  };
};

export const standalone = (config: ConnectionConfig): Topology => {
  const node = lazyClients(config);
  return { kind: 'standalone', primaries: () => [node], nodeOf: () => node, close: () => node.close() };
};

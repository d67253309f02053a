import 'server-only';
import type { Redis } from 'ioredis';
import type { ConnectionConfig } from '@/lib/env';
import { type Client, connectTo } from './client';
import type { Key } from './commands';
import { unavailable } from './failure';

/** One primary. Interactive reads, long scans and writes have a client each, so that none waits for another. */
export interface Node {
  id: string;
  client(purpose: Purpose): Client;
  /** Those of its clients that were asked for by now. */
  clients(): readonly Client[];
  /** A client of one's own, which does not connect again by itself. The caller closes it. */
  dedicated(purpose: string): Client;
}

export type Purpose = 'read' | 'scan' | 'write';

/** Cursors of any kind are got and used through this client alone: its process is the one that they mean something to. */
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
 * Where keys live. Domains never see nodes: the reader, the writer and scans ask for "every primary" or for
 * the node of a key, which is where Sentinel and Cluster join.
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

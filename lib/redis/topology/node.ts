import 'server-only';
import type { ScanLimits } from '../budget';
import { ScanBudget } from '../budget';
import type { Client, Purpose } from '../client';
import { leaveUntouched } from '../no-touch';
import { ServerLoad } from '../server-load';
import { CURSORS, type Node, readyClient, type Shared } from '../topology';

export interface NodeParts {
  /** Of the connection, for messages. */
  connection: string;
  /** Its id until it has been connected to. */
  name: string;
  scan: ScanLimits;
  shared: Shared;
  connect(purpose: Purpose): Client;
  dedicated(purpose: string): Client;
}

/** A node whose clients are made when they are asked for. */
export const makeNode = (parts: NodeParts): Node & { close(): void } => {
  const { connection, name, scan, shared } = parts;
  const clients = new Map<Purpose, Client>();
  const node: Node & { close(): void } = {
    get id() {
      return node.client('read').address() ?? name;
    },
    process: () => node.client('read').process(),
    role: () => node.client('read').role(),
    own: shared.own,
    budget: new ScanBudget(scan, shared.queue, new ServerLoad(() => readCpu(connection, node))),
    client(purpose) {
      let client = clients.get(purpose);
      if (!client) {
        client = parts.connect(purpose);
        if (purpose === CURSORS) leaveUntouched(client.redis);
        clients.set(purpose, client);
      }
      return client;
    },
    clients: () => [...clients.values()],
    dedicated: parts.dedicated,
    close() {
      for (const client of clients.values()) client.close();
      clients.clear();
    },
  };
  shared.own.nodes.add(node);
  return node;
};

/** INFO's section of the processor's time, on the client of scans. */
export const readCpu = async (connection: string, node: Node): Promise<string> => {
  const redis = await readyClient(connection, node, CURSORS);
  const text = await redis.info('cpu');
  node.own.commands += 1;
  return text;
};

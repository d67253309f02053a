import 'server-only';
import { CallQueue, ScanBudget, type ScanLimits } from '../budget';
import type { Client, Purpose } from '../client';
import { leaveUntouched, touchesAlways } from '../no-touch';
import { OwnTraffic } from '../own-traffic';
import { ServerLoad } from '../server-load';
import { CURSORS, type Node, readyClient, type Shared, type Topology } from '../topology';

export const newShared = (): Shared => ({ own: new OwnTraffic(), queue: new CallQueue(), shards: new Map() });

export type OpenNode = Node & {
  /** Shares counts and pace with the other connections to its server from now on. */
  adopt(shared: Shared): void;
  /** Closes its clients. New ones are created on demand. */
  disconnect(): void;
  /** Disconnects for ever: it no longer is a node of the connection. */
  close(): void;
};

export interface NodeParts {
  /** The id of the connection, for messages. */
  connection: string;
  /** Its id until the first connection. */
  readonly name: string;
  scan: ScanLimits;
  shared: Shared;
  isInCluster?: true;
  connect(purpose: Purpose): Client;
  dedicated(purpose: string): Client;
}

/** A node whose clients are created on demand. */
export const makeNode = (parts: NodeParts): OpenNode => {
  const { connection, scan } = parts;
  const clients = new Map<Purpose, Client>();
  const budgetIn = ({ queue }: Shared): ScanBudget =>
    new ScanBudget(scan, queue, new ServerLoad(() => readCpu(connection, node)));
  let { shared } = parts;
  let isClosed = false;
  const node: OpenNode = {
    get id() {
      return node.client('read').address() ?? parts.name;
    },
    process: () => node.client('read').process(),
    role: () => node.client('read').role(),
    own: shared.own,
    budget: budgetIn(shared),
    client(purpose) {
      let client = clients.get(purpose);
      if (!client) {
        client = parts.connect(purpose);
        // Otherwise its clients would reconnect for ever.
        if (isClosed) client.close();
        if (purpose === CURSORS) (parts.isInCluster ? touchesAlways : leaveUntouched)(client.redis);
        clients.set(purpose, client);
      }
      return client;
    },
    clients: () => [...clients.values()],
    dedicated: parts.dedicated,
    adopt(other) {
      if (other === shared) return;
      shared.own.nodes.delete(node);
      shared = other;
      other.own.nodes.add(node);
      node.own = other.own;
      node.budget = budgetIn(other);
    },
    isClosed: () => isClosed,
    disconnect() {
      for (const client of clients.values()) client.close();
      clients.clear();
    },
    close() {
      isClosed = true;
      node.disconnect();
      shared.own.nodes.delete(node);
    },
  };
  shared.own.nodes.add(node);
  return node;
};

/** The part of a topology that says where keys are, where one node has them all. */
export const onOneNode = (node: OpenNode): Omit<Topology, 'kind' | 'at' | 'close'> => ({
  primaries: () => [node],
  nodeOf: () => node,
  slotsOf: () => null,
  layout: () => '',
  known: async () => {},
  redirected: async () => null,
});

/** INFO's section about processor time, on the client of scans. */
export const readCpu = async (connection: string, node: Node): Promise<string> => {
  const redis = await readyClient(connection, node, CURSORS);
  const text = await redis.info('cpu');
  node.own.commands += 1;
  return text;
};

import 'server-only';
import type { Redis } from 'ioredis';
import type { CallQueue, Pace, PaceOptions, ScanBudget } from './budget';
import type { Client, Purpose } from './client';
import type { Key } from './commands';
import { unavailable } from './failure';
import type { OwnTraffic } from './own-traffic';
import type { Role } from './server-facts';

/**
 * A server that holds keys. Interactive reads, scans and writes use separate clients, so that none waits for another.
 * Counts, pace and changes belong to the node of their server.
 */
export interface Node {
  /** Its address: `host:port` or the path of a socket. Before the Sentinels answer, the name they watch. */
  readonly id: string;
  /**
   * The `run_id` of the answering process; null before the first connection. Generated where our user may not read it.
   */
  process(): string | null;
  /** The last known role. */
  role(): Role;
  /** What this process added to the server's counters. Shared by the connections to its databases. */
  own: OwnTraffic;
  /** Paces this process's scans of the server. Shared like `own`. */
  budget: ScanBudget;
  client(purpose: Purpose): Client;
  clients(): readonly Client[];
  /** A separate client that does not reconnect. The caller closes it. */
  dedicated(purpose: string): Client;
  /** Whether it no longer is a node of the connection. */
  isClosed(): boolean;
}

/** What connections to databases of one server share. */
export interface Shared {
  own: OwnTraffic;
  queue: CallQueue;
  /** For a cluster: the shared state of each primary, by the node ids of the primary and its replicas. */
  shards: Map<string, Shared>;
}

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
 * key".
 */
export interface Topology {
  kind: 'standalone' | 'sentinel' | 'cluster';
  /** A node keeps its object as long as it is a primary, also across a failover. */
  primaries(): Node[];
  nodeOf(key: Key): Node;
  /** How many hash slots a primary serves; null outside a cluster, and before it is known. */
  slotsOf(node: Node): number | null;
  /** Which node has which slots, as a text that changes when slots move; '' where there are none. */
  layout(): string;
  /** Resolves once all primaries are known; rejects with the reason where no node lists them. */
  known(): Promise<void>;
  /**
   * The node that another node named in a redirection. It may not be a primary yet: a new node whose first slot is
   * being moved. Asks it for the current slots meanwhile. Null where no node was named.
   */
  redirected(to: { address: string; id?: string } | null): Promise<Node | null>;
  /**
   * A separate client for the server at an address, whatever its role is now: to restore changes made there. It does
   * not reconnect, and the caller closes it.
   */
  at(address: string, purpose: string): Client;
  close(): void;
}

/** The primaries, once all are known. Throws a 503 `Problem` naming the connection where no node lists them. */
export const primariesOf = async (connection: string, topology: Topology): Promise<Node[]> => {
  await topology.known().catch((error) => {
    throw unavailable(connection, error);
  });
  return topology.primaries();
};

/** The items of each node, by their keys: as indexes into `items`. */
export const byNode = <T>(
  topology: Pick<Topology, 'nodeOf'>,
  items: readonly T[],
  keyOf: (item: T) => Key,
): Map<Node, number[]> => {
  const groups = new Map<Node, number[]>();
  for (const [i, item] of items.entries()) {
    const node = topology.nodeOf(keyOf(item));
    const group = groups.get(node);
    if (group) group.push(i);
    else groups.set(node, [i]);
  }
  return groups;
};

/** The pace of one kind of work on the node of a key. */
export const pacesOf = (
  topology: Pick<Topology, 'nodeOf'>,
  kind: string,
  options: PaceOptions,
): ((near: Key) => Pace) => {
  const paces = new Map<ScanBudget, Pace>();
  return (near) => {
    const { budget } = topology.nodeOf(near);
    const pace = paces.get(budget) ?? budget.pace(kind, options);
    paces.set(budget, pace);
    return pace;
  };
};

/**
 * Runs `work` with a client once it is ready, then closes it. `explain` converts the error of a client that does not
 * become ready.
 */
export const withDedicated = async <T>(
  client: Client,
  work: (redis: Redis) => Promise<T>,
  explain = (error: unknown): unknown => error,
): Promise<T> => {
  try {
    await client.ready().catch((error) => {
      throw explain(error);
    });
    return await work(client.redis);
  } finally {
    client.close();
  }
};

/**
 * Runs `work` with a separate client for the server at an address, whatever its role is now. Throws a 503 `Problem`
 * naming the connection where it does not answer.
 */
export const withServerAt = <T>(
  connection: string,
  topology: Topology,
  address: string,
  work: (redis: Redis) => Promise<T>,
): Promise<T> =>
  withDedicated(topology.at(address, 'restore'), work, (error) => unavailable(connection, error));

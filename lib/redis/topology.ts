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
 * Whatever is counted, paced, changed or restored on a server belongs to its node.
 */
export interface Node {
  /** Where it is: `host:port` or the path of a socket. Until Sentinels have named the place, the name of what they watch. */
  readonly id: string;
  /** The `run_id` of the process that answers; null before the first connection. A generated one where our user may not read it. */
  process(): string | null;
  /** The last known role. */
  role(): Role;
  /** What this process added to the server's counters. Shared by the connections to its databases. */
  own: OwnTraffic;
  /** Paces this process's scans of the server. Shared likewise. */
  budget: ScanBudget;
  client(purpose: Purpose): Client;
  /** Those of its clients that have been created. */
  clients(): readonly Client[];
  /** A separate client that does not reconnect. The caller closes it. */
  dedicated(purpose: string): Client;
  /** Whether it is none of the connection's nodes any more. */
  isClosed(): boolean;
}

/** What the connections to databases of one server share. */
export interface Shared {
  own: OwnTraffic;
  queue: CallQueue;
  /** Of a cluster: what the connections share of each of its primaries, by the node ids of it and of its replicas. */
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
  /** A node is the same object as long as it is one of them, also after a failover. */
  primaries(): Node[];
  nodeOf(key: Key): Node;
  /** How many hash slots a primary serves; null outside a cluster, and before it is known. */
  slotsOf(node: Node): number | null;
  /** Which node has which slots, as a text that is another one when slots have moved; '' where there are none. */
  layout(): string;
  /** Resolves once all primaries are known; rejects with the reason where nobody names them. */
  known(): Promise<void>;
  /**
   * The node that another one named, because it has a key that is looked for. It may not be one of the primaries yet: a
   * new one whose first slot is on its way. Meanwhile it is asked again who serves what. Null where none was named.
   */
  redirected(to: { address: string; id?: string } | null): Promise<Node | null>;
  /**
   * A separate client of the server at an address, whatever its role is now: to restore what was changed there. It does
   * not reconnect, and the caller closes it.
   */
  at(address: string, purpose: string): Client;
  close(): void;
}

/** The primaries, once all are known. Throws a 503 `Problem` naming the connection where no node names them. */
export const primariesOf = async (connection: string, topology: Topology): Promise<Node[]> => {
  await topology.known().catch((error) => {
    throw unavailable(connection, error);
  });
  return topology.primaries();
};

/** Which items each node has, by their keys: as indexes into `items`. */
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

/** Runs `work` with a client of its own once it is ready, and closes it. `explain` names why it is not. */
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
 * Runs `work` with a separate client of the server at an address, whatever its role is by now. Throws a 503 `Problem`
 * naming the connection where it does not answer.
 */
export const withServerAt = <T>(
  connection: string,
  topology: Topology,
  address: string,
  work: (redis: Redis) => Promise<T>,
): Promise<T> =>
  withDedicated(topology.at(address, 'restore'), work, (error) => unavailable(connection, error));

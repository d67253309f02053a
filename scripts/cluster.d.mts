import type { RedisServer } from './redis-server.mjs';

export interface ClusterOptions {
  /** 3 by default. */
  primaries?: number;
  /** The number per primary; 0 by default. */
  replicas?: number;
  /** When a silent server counts as down, ms; 1500 by default. */
  nodeTimeoutMs?: number;
  /** Further arguments of the servers. */
  args?: string[];
  /** Whether nothing is served while slots are without a server; true by default. */
  isFullCoverage?: boolean;
}

/**
 * Promises, except those of `beginMove` and `moveKeys`, resolve when all servers that answer say `cluster_state:ok` and
 * agree on roles and slots, and reject after 20 s.
 */
export interface Cluster {
  /** All that were started, in order: the initial primaries, their replicas, added ones. */
  servers: RedisServer[];
  /** `host:port` of each of them. */
  nodes: string[];
  /** Those that have slots now, as the first server that answers says; in the order of `servers`. */
  primaries(): Promise<RedisServer[]>;
  /** The replicas of a primary that are not known to be down. */
  replicasOf(primary: RedisServer): Promise<RedisServer[]>;
  /** First and last of each range. */
  slotsOf(server: RedisServer): Promise<[number, number][]>;
  slotOf(key: string | Uint8Array): number;
  /** The primary of a key. */
  serverOf(key: string | Uint8Array): Promise<RedisServer>;
  /** Moves slots with their keys, one after the other; a slot that was begun is finished before `signal` is obeyed. */
  moveSlots(
    slots: number[],
    to: RedisServer,
    options?: {
      /** Keys a step; 100 by default. */
      batch?: number;
      signal?: AbortSignal;
      /** Called in the middle of each slot's move, when its first batch of keys was moved. */
      whileMoving?(slot: number): Promise<void> | void;
    },
  ): Promise<void>;
  /** From now on its keys may be on either side: the source answers ASK for keys that it lacks. */
  beginMove(slot: number, to: RedisServer): Promise<void>;
  /** Moves up to so many keys of a slot whose move was begun. Resolves with how many were moved. */
  moveKeys(slot: number, count: number): Promise<number>;
  /** Moves the remaining keys, and tells all servers which one serves the slot. */
  endMove(slot: number): Promise<void>;
  /** Starts a server that has no slots, or a replica. */
  addNode(options?: { replicaOf?: RedisServer }): Promise<RedisServer>;
  /** An ordered failover to a replica, by default any. Resolves with the new primary. */
  failover(replica?: RedisServer): Promise<RedisServer>;
  /** Resolves with the server of a slot or a key once it is the wanted one, such as another than a killed one. */
  untilServedBy(
    slotOrKey: number | string | Uint8Array,
    predicate: (server: RedisServer) => boolean,
  ): Promise<RedisServer>;
  stop(): Promise<void>;
}

export function startCluster(options?: ClusterOptions): Promise<Cluster>;

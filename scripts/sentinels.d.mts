import type { RedisServer } from './redis-server.mjs';

export interface SentinelsOptions {
  /** The name of the watched primary; `mymaster` by default. */
  name?: string;
  /** 1 by default. */
  replicas?: number;
  /** 3 by default. */
  sentinels?: number;
  /** 2 by default. */
  quorum?: number;
  /** When a silent primary counts as down, ms; 1500 by default. */
  downAfterMs?: number;
  /** When a failover that did not succeed is retried, ms; 5000 by default. */
  failoverTimeoutMs?: number;
  /** Further arguments of the servers, not of the Sentinels. */
  args?: string[];
}

export interface Sentinels {
  name: string;
  /** `host:port` of each Sentinel. */
  nodes: string[];
  /** The initial primary, then its replicas. */
  servers: RedisServer[];
  sentinels: RedisServer[];
  /** The server that most Sentinels name as primary. */
  primary(): Promise<RedisServer | undefined>;
  /** Resolves when the Sentinels name another primary than this one, and it accepts writes. Rejects after 20 s. */
  untilPrimaryIsNot(old: RedisServer): Promise<RedisServer>;
  /** Orders a failover and waits for its end. Resolves with the new primary. */
  failover(): Promise<RedisServer>;
  stop(): Promise<void>;
}

export function startSentinels(options?: SentinelsOptions): Promise<Sentinels>;

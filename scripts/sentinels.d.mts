import type { RedisServer } from './redis-server.mjs';

export interface SentinelsOptions {
  /** Of what they watch; `mymaster` by default. */
  name?: string;
  /** 1 by default. */
  replicas?: number;
  /** 3 by default. */
  sentinels?: number;
  /** 2 by default. */
  quorum?: number;
  /** When a silent primary counts as down, ms; 1500 by default. */
  downAfterMs?: number;
  /** After which a failover that did not succeed is tried again, ms; 5000 by default. */
  failoverTimeoutMs?: number;
  /** Further arguments of the servers, not of the Sentinels. */
  args?: string[];
}

export interface Sentinels {
  name: string;
  /** `host:port` of each Sentinel. */
  nodes: string[];
  /** The primary of the beginning, then its replicas. */
  servers: RedisServer[];
  sentinels: RedisServer[];
  /** The server that most Sentinels name as primary. */
  primary(): Promise<RedisServer | undefined>;
  /** Resolves when the Sentinels name another primary than this one, and it accepts writes. Rejects after 20 s. */
  untilPrimaryIsNot(old: RedisServer): Promise<RedisServer>;
  /** An ordered failover, to the end. Resolves with the new primary. */
  failover(): Promise<RedisServer>;
  stop(): Promise<void>;
}

export function startSentinels(options?: SentinelsOptions): Promise<Sentinels>;

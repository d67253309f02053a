import 'server-only';
import type { Bucket } from '@/lib/history/bucket';
import type { ServerInfo } from '@/lib/redis/info';
import { SECOND } from '@/lib/time';

/** A reading of a server's counters, with the console's own share of them at that time. */
export interface Reading {
  at: number;
  /** The server's address. */
  address: string;
  info: ServerInfo;
  own: { hits: number; misses: number; commands: number };
}

/** Own traffic still to be subtracted: the processes report theirs at slightly different times. */
export interface CarryOver {
  hits: number;
  misses: number;
}

export type Delta = { kind: 'bucket'; bucket: Bucket; carryOver: CarryOver } | { kind: 'counters-reset' };

/** INFO gives the uptime in whole seconds, and clocks differ. */
const UPTIME_SLACK_MS = 2 * SECOND;

/**
 * What happened to a node between two readings. A server at another address, one that was already up at the earlier
 * reading, or one with another role took over; any other server with a new run id restarted.
 */
export const serverChange = (
  before: Pick<Reading, 'at' | 'address' | 'info'>,
  after: Pick<Reading, 'at' | 'address' | 'info'>,
): 'same' | 'restart' | 'failover' => {
  if (before.info.runId === after.info.runId)
    return before.info.role === after.info.role ? 'same' : 'failover';
  if (before.address !== after.address) return 'failover';
  const upSince = after.at - after.info.uptimeSeconds * SECOND;
  return upSince < before.at - UPTIME_SLACK_MS ? 'failover' : 'restart';
};

/** Totals grow, unless reports of other processes were lost. */
const growth = (before: number, after: number): number => Math.max(0, after - before);

const subtractOwn = (counted: number, own: number): { left: number; carryOver: number } =>
  counted >= own ? { left: counted - own, carryOver: 0 } : { left: 0, carryOver: own - counted };

/**
 * What the applications did between two readings of one server. After CONFIG RESETSTAT there is no bucket, so no rate
 * is negative. Own traffic beyond the counters is carried over to the next reading.
 */
export const delta = (before: Reading, after: Reading, carryOver: CarryOver): Delta => {
  const [a, b] = [before.info, after.info];
  if (b.commands < a.commands || b.hits < a.hits || b.misses < a.misses) return { kind: 'counters-reset' };
  const hits = subtractOwn(b.hits - a.hits, growth(before.own.hits, after.own.hits) + carryOver.hits);
  const misses = subtractOwn(
    b.misses - a.misses,
    growth(before.own.misses, after.own.misses) + carryOver.misses,
  );
  return {
    kind: 'bucket',
    carryOver: { hits: hits.carryOver, misses: misses.carryOver },
    bucket: {
      at: after.at,
      observedMs: after.at - before.at,
      hits: hits.left,
      misses: misses.left,
      commands: Math.max(0, b.commands - a.commands - growth(before.own.commands, after.own.commands)),
      evicted: Math.max(0, b.evicted - a.evicted),
      expired: Math.max(0, b.expired - a.expired),
      netInBytes: Math.max(0, b.netInBytes - a.netInBytes),
      netOutBytes: Math.max(0, b.netOutBytes - a.netOutBytes),
      usedMemoryBytes: b.usedMemoryBytes,
      connectedClients: b.connectedClients,
      latencyMs: b.latencyMs,
    },
  };
};

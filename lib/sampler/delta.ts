import 'server-only';
import type { Bucket } from '@/lib/history/bucket';
import type { ServerInfo } from '@/lib/redis/info';
import { SECOND } from '@/lib/time';

/** A reading of a server's counters, with what the console itself had added to them by then. */
export interface Reading {
  at: number;
  info: ServerInfo;
  own: { hits: number; misses: number; commands: number };
}

/** Own traffic that could not be taken out yet: processes report theirs a moment apart. */
export interface CarryOver {
  hits: number;
  misses: number;
}

export type Delta =
  | { kind: 'bucket'; bucket: Bucket; carryOver: CarryOver }
  | { kind: 'restart' | 'failover' }
  | { kind: 'counters-reset' };

/** INFO's uptime is in whole seconds, and clocks are not the same. */
const UPTIME_SLACK_MS = 2 * SECOND;

/** What another run id means: a server that has been up since before the reading before did not restart, it took over. */
export const serverChange = (
  before: { at: number; info: Pick<ServerInfo, 'runId'> },
  after: { at: number; info: Pick<ServerInfo, 'runId' | 'uptimeSeconds'> },
): 'same' | 'restart' | 'failover' => {
  if (before.info.runId === after.info.runId) return 'same';
  const upSince = after.at - after.info.uptimeSeconds * SECOND;
  return upSince < before.at - UPTIME_SLACK_MS ? 'failover' : 'restart';
};

/** Totals only grow; where the record of other processes was lost they seem to shrink. */
const grown = (before: number, after: number): number => Math.max(0, after - before);

const subtractOwn = (counted: number, own: number): { left: number; carryOver: number } =>
  counted >= own ? { left: counted - own, carryOver: 0 } : { left: 0, carryOver: own - counted };

/**
 * What the applications did between two readings. Another server (by its run id) or CONFIG RESETSTAT
 * starts anew instead of giving a negative rate; own traffic beyond the counters is owed to the next reading.
 */
export const delta = (before: Reading, after: Reading, carryOver: CarryOver): Delta => {
  const [a, b] = [before.info, after.info];
  const turn = serverChange(before, after);
  if (turn !== 'same') return { kind: turn };
  if (b.commands < a.commands || b.hits < a.hits || b.misses < a.misses) return { kind: 'counters-reset' };
  const hits = subtractOwn(b.hits - a.hits, grown(before.own.hits, after.own.hits) + carryOver.hits);
  const misses = subtractOwn(
    b.misses - a.misses,
    grown(before.own.misses, after.own.misses) + carryOver.misses,
  );
  return {
    kind: 'bucket',
    carryOver: { hits: hits.carryOver, misses: misses.carryOver },
    bucket: {
      at: after.at,
      observedMs: after.at - before.at,
      hits: hits.left,
      misses: misses.left,
      commands: Math.max(0, b.commands - a.commands - grown(before.own.commands, after.own.commands)),
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

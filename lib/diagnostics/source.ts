import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { type Census, readCensus } from '@/lib/history/census';
import { type LiveSample, readLive } from '@/lib/history/points';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { fromPrimaries, type MissingNode } from '@/lib/redis/each-primary';
import { withoutStore } from '@/lib/redis/failure';
import { parseInfo } from '@/lib/redis/info';
import { timeRoundTrip } from '@/lib/redis/round-trip';
import { readServer } from '@/lib/redis/server-reads';
import { type Node, readyClient } from '@/lib/redis/topology';
import { MINUTE, SECOND } from '@/lib/time';

/** What one primary reports about itself. */
export interface NodeInfo {
  node: Node;
  fields: Map<string, string>;
  roundTripMs: number;
}

/** INFO, the last census and the last minute, read once for all sections that need them. */
export interface Source {
  ctx: ReadContext;
  now: number;
  /** Throws where INFO is not permitted, like the other methods. */
  info(): Promise<{ nodes: NodeInfo[]; missing: MissingNode[] }>;
  census(): Promise<Census | null>;
  /** Events per second in the last minute; null without observations. */
  perSecond(count: 'evicted' | 'expired'): Promise<number | null>;
}

const lazily = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | null = null;
  return () => {
    result ??= read();
    return result;
  };
};

const readNode = async (connection: ConnectionHandle, node: Node): Promise<NodeInfo> => {
  // Excludes connecting, and the time in which this process was busy.
  await readyClient(connection.config.id, node, 'read');
  const { value, least } = await timeRoundTrip(() => readServer(connection, node, ['INFO']));
  return { node, fields: parseInfo((value as Buffer).toString()), roundTripMs: least };
};

const readInfo = async ({ connection }: ReadContext) => {
  const { answers, missing } = await fromPrimaries(connection, (node) => readNode(connection, node));
  return { nodes: answers.map(({ value }) => value), missing };
};

export const openSource = (ctx: ReadContext): Source => {
  const now = ctx.now();
  const { store, connection } = ctx;
  const live = lazily(() =>
    readLive(store, connection.config.id, now - MINUTE).then((rows) => rows.map(({ sample }) => sample)),
  );
  return {
    ctx,
    now,
    info: lazily(() => readInfo(ctx)),
    census: lazily(() => readCensus(store, connection.config.id)),
    perSecond: async (count) => {
      const samples = await live().catch(withoutStore<LiveSample[]>([]));
      const buckets = samples.flatMap((sample) => ('bucket' in sample ? [sample.bucket] : []));
      const observedMs = buckets.reduce((sum, bucket) => sum + bucket.observedMs, 0);
      if (observedMs === 0) return null;
      return (buckets.reduce((sum, bucket) => sum + bucket[count], 0) * SECOND) / observedMs;
    },
  };
};

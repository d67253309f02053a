import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { processWidePer } from '@/lib/process-wide';
import type { Client } from '@/lib/redis/client';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { HOUR, MINUTE } from '@/lib/time';
import { bucketSchema } from './bucket';
import type { StreamRows } from './timed-stream';

/** The server's figures on the overview. */
const serverFigures = z.object({
  maxMemoryBytes: z.number(),
  keys: z.number(),
  keysWithTtl: z.number(),
  evictedKeys: z.number(),
  product: z.string(),
  version: z.string(),
});

/** One second of one Redis, or why it is missing. */
const liveSample = z.union([
  z.object({ bucket: bucketSchema, figures: serverFigures }),
  z.object({ gap: z.string(), at: z.number(), notPermitted: z.boolean().optional() }),
]);
export type LiveSample = z.output<typeof liveSample>;

export interface LiveRow {
  id: string;
  sample: LiveSample;
}

const KEPT_MS = 15 * MINUTE;
const keyOf = (connection: string): Buffer => consoleFamilies.live.key({ connection });

const toRows = (rows: StreamRows): LiveRow[] =>
  rows.flatMap(([id, fields]) => {
    const sample = parseStored(liveSample, fields[1]);
    return sample ? [{ id, sample }] : [];
  });

/** Publishes a sample to every process and listener. */
export const publishLive = (
  store: Store,
  connection: string,
  sample: LiveSample,
  now: number,
): Promise<void> =>
  store.use(async (redis) => {
    const key = keyOf(connection);
    await redis
      .pipeline()
      .xadd(key, 'MINID', '~', now - KEPT_MS, '*', 's', JSON.stringify(sample))
      .pexpire(key, HOUR)
      .exec();
  });

/** Samples after `after` (a stream id, or epoch ms), oldest first. */
export const readLive = (store: Store, connection: string, after: string | number): Promise<LiveRow[]> =>
  store.use(async (redis) => {
    const from = typeof after === 'number' ? String(after) : `(${after}`;
    return toRows((await redis.xrange(keyOf(connection), from, '+')) as StreamRows);
  });

export const newestLive = async (store: Store, connection: string): Promise<LiveRow | null> =>
  store.use(async (redis) => {
    const rows = (await redis.xrevrange(keyOf(connection), '+', '-', 'COUNT', 1)) as StreamRows;
    return toRows(rows)[0] ?? null;
  });

/** More pending events would end the stream (`lib/http/stream.ts`). */
const MAX_MISSED = 300;

/**
 * The newest samples after `after`, oldest first. `isComplete` is false when there were more, and when `after` is not a
 * stored id.
 */
export const readMissedRows = (
  store: Store,
  connection: string,
  after: string,
): Promise<{ rows: LiveRow[]; isComplete: boolean }> =>
  store.use(async (redis) => {
    const key = keyOf(connection);
    const [known, newest] = await Promise.all([
      redis.xrange(key, after, after),
      redis.xrevrange(key, '+', `(${after}`, 'COUNT', MAX_MISSED + 1),
    ]);
    const rows = toRows(newest.slice(0, MAX_MISSED).reverse() as StreamRows);
    return { rows, isComplete: known.length > 0 && newest.length <= MAX_MISSED };
  });

type Listener = (row: LiveRow | { lost: string }) => void;

/** The listeners of one connection. */
interface Channel {
  listeners: Set<Listener>;
  /** The last id that was read; null before the first read. */
  lastId: string | null;
  started: Promise<void>;
  start(): void;
}

const newChannel = (): Channel => {
  let start = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  return { listeners: new Set(), lastId: null, started, start };
};

const BLOCK_MS = 1000;

/** One blocking read of the store per process, for any number of open pages. */
export class LiveHub {
  private readonly channels = new Map<string, Channel>();
  private running = false;

  constructor(private readonly store: Store) {}

  /**
   * Calls `listener` for every sample from now on. Samples stored before `started` resolves are not repeated: the listener
   * reads them from the store.
   */
  subscribe(connection: string, listener: Listener): { started: Promise<void>; stop: () => void } {
    const channel = this.channels.get(connection) ?? newChannel();
    channel.listeners.add(listener);
    this.channels.set(connection, channel);
    if (!this.running) void this.run();
    const stop = () => {
      channel.listeners.delete(listener);
      if (channel.listeners.size === 0 && this.channels.get(connection) === channel)
        this.channels.delete(connection);
    };
    return { started: channel.started, stop };
  }

  private async run(): Promise<void> {
    this.running = true;
    const client = this.store.dedicated('live');
    try {
      while (this.channels.size > 0) await this.readOnce(client);
    } finally {
      client.close();
      this.running = false;
    }
  }

  private async readOnce(client: Client): Promise<void> {
    const channels = [...this.channels];
    try {
      await client.ready();
      const ids: string[] = [];
      for (const [name, channel] of channels) {
        // `$` would miss samples written between two reads.
        channel.lastId ??= await newestId(client, name);
        channel.start();
        ids.push(channel.lastId);
      }
      const keys = channels.map(([name]) => keyOf(name));
      const reply = (await client.redis.xread('BLOCK', BLOCK_MS, 'STREAMS', ...keys, ...ids)) as
        | [string, StreamRows][]
        | null;
      for (const [key, rows] of reply ?? []) {
        const channel = channels[keys.findIndex((candidate) => candidate.toString() === key)]?.[1];
        if (channel) emit(channel, rows);
      }
    } catch {
      for (const [, { listeners }] of channels) for (const listen of listeners) listen({ lost: 'store' });
      await sleep(BLOCK_MS);
    }
  }
}

const newestId = async (client: Client, connection: string): Promise<string> => {
  const [row] = (await client.redis.xrevrange(keyOf(connection), '+', '-', 'COUNT', 1)) as StreamRows;
  return row?.[0] ?? '0-0';
};

const emit = (channel: Channel, rows: StreamRows): void => {
  channel.lastId = rows.at(-1)?.[0] ?? channel.lastId;
  for (const row of toRows(rows)) for (const listen of channel.listeners) listen(row);
};

export const liveHub = processWidePer('live-hubs', (store: Store) => new LiveHub(store));

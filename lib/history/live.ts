import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { processWide } from '@/lib/process-wide';
import type { Client } from '@/lib/redis/client';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { HOUR, MINUTE } from '@/lib/time';
import { bucketSchema } from './bucket';
import type { StreamRows } from './timed-stream';

/** What a sample also knows of the server, for the tiles of the overview. */
const serverFigures = z.object({
  maxMemoryBytes: z.number(),
  keys: z.number(),
  keysWithTtl: z.number(),
  evictedKeys: z.number(),
  product: z.string(),
  version: z.string(),
});

/** One second of one Redis, or why there is none. */
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

/** Shares one sampling with every process and every listener. */
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

type Listener = (row: LiveRow | { lost: string }) => void;

const BLOCK_MS = 1000;

/** One blocking read of the store per process, however many pages are open. */
export class LiveHub {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly seen = new Map<string, string>();
  private readonly store: Store;
  private running = false;

  constructor(store: Store) {
    this.store = store;
  }

  /**
   * Calls `listener` for every sample after now, or after `after` (a stream id) unless others listen already: it
   * may hear of samples before that again. Returns how to stop.
   */
  subscribe(connection: string, listener: Listener, after: string | null = null): () => void {
    const set = this.listeners.get(connection) ?? new Set();
    if (set.size === 0 && after !== null) this.seen.set(connection, after);
    set.add(listener);
    this.listeners.set(connection, set);
    if (!this.running) void this.run();
    return () => {
      set.delete(listener);
      if (set.size === 0) {
        this.listeners.delete(connection);
        this.seen.delete(connection);
      }
    };
  }

  private async run(): Promise<void> {
    this.running = true;
    const client = this.store.dedicated('live');
    try {
      while (this.listeners.size > 0) await this.turn(client);
    } finally {
      client.close();
      this.running = false;
    }
  }

  private async turn(client: Client): Promise<void> {
    const names = [...this.listeners.keys()];
    try {
      await client.ready();
      const ids = names.map((name) => this.seen.get(name) ?? '$');
      const reply = (await client.redis.xread('BLOCK', BLOCK_MS, 'STREAMS', ...names.map(keyOf), ...ids)) as
        | [string, StreamRows][]
        | null;
      for (const [key, rows] of reply ?? []) {
        const name = names.find((candidate) => keyOf(candidate).toString() === key);
        if (name) this.emit(name, rows);
      }
    } catch {
      for (const name of names)
        for (const listen of this.listeners.get(name) ?? []) listen({ lost: 'store' });
      await sleep(BLOCK_MS);
    }
  }

  private emit(name: string, rows: StreamRows): void {
    const listeners = this.listeners.get(name);
    const last = rows.at(-1);
    if (!listeners || !last) return;
    this.seen.set(name, last[0]);
    for (const row of toRows(rows)) for (const listen of listeners) listen(row);
  }
}

const hubs = processWide('live-hubs', () => new WeakMap<Store, LiveHub>());

export const liveHub = (store: Store): LiveHub => {
  const hub = hubs().get(store) ?? new LiveHub(store);
  hubs().set(store, hub);
  return hub;
};

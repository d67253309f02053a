import 'server-only';
import type { Redis } from 'ioredis';
import type { Client, Purpose } from './client';
import type { Key } from './commands';
import { isRedirection } from './failure';

const IDLE_TIMEOUT_MS = 250;

/**
 * What the console itself added to the server's `keyspace_hits` and `keyspace_misses`, so that it can be subtracted
 * from hit rates. `commands.ts` defines which commands count.
 */
export class OwnTraffic {
  hits = 0;
  misses = 0;
  commands = 0;
  /** Misses with unknown keys. A lost reply may have contained some and counts as one. */
  unnamed = 0;
  /** The nodes our commands go through: MONITOR shows the addresses of their clients. */
  readonly nodes = new Set<{ client(purpose: Purpose): Client }>();
  /** Called with each key we missed and its database, where the key is known. */
  readonly missed = new Set<(db: number, key: Key) => void>();

  private active = 0;
  private closed: Promise<void> | null = null;
  private idle: (() => void) | null = null;

  add(hits: number, misses: number): void {
    this.hits += hits;
    this.misses += misses;
  }

  /** A key that did not exist. The server also publishes a `keymiss` event for it. */
  addMiss({ options: { db = 0 } }: Redis, key: Key, times = 1): void {
    this.misses += times;
    for (const listen of this.missed) for (let i = 0; i < times; i++) listen(db, key);
  }

  /**
   * Counts one run of a script from its first two results (`scripts/include/lookups.lua`) and returns the others. The
   * server counts the script's call and each call inside it; every look-up is one of those.
   */
  addScript(redis: Redis, reply: unknown): unknown[] {
    const [hits, missed, ...results] = reply as [number, unknown, ...unknown[]];
    const [unnamed, ...named] = [missed].flat() as [number, ...(Key | number)[]];
    const before = this.misses;
    this.add(hits, unnamed);
    this.unnamed += unnamed;
    for (let i = 0; i < named.length; i += 2) this.addMiss(redis, named[i] as Key, named[i + 1] as number);
    this.commands += 1 + hits + this.misses - before;
    return results;
  }

  /**
   * Runs work whose look-ups are counted here. Must not be nested: `whileIdle` waits for it, and it waits for
   * `whileIdle`.
   */
  async track<T>(work: () => Promise<T>): Promise<T> {
    while (this.closed) await this.closed;
    this.active += 1;
    try {
      return await work();
    } catch (error) {
      if (!isRedirection(error)) this.unnamed += 1;
      throw error;
    } finally {
      this.active -= 1;
      if (this.active === 0) this.idle?.();
    }
  }

  /**
   * Reads the server's counters while no tracked work runs, so that they agree exactly with the counts here. Waits for
   * running work only briefly; `isIdle` is whether all of it had ended.
   */
  async whileIdle<T>(read: (isIdle: boolean) => Promise<T>): Promise<T> {
    while (this.closed) await this.closed;
    let open = () => {};
    this.closed = new Promise((resolve) => {
      open = resolve;
    });
    try {
      if (this.active > 0) await this.untilIdle();
      return await read(this.active === 0);
    } finally {
      this.closed = null;
      open();
    }
  }

  private untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.idle = null;
        resolve();
      };
      const timer = setTimeout(done, IDLE_TIMEOUT_MS);
      this.idle = done;
    });
  }

  snapshot(): { hits: number; misses: number; commands: number; unnamed: number } {
    const { hits, misses, commands, unnamed } = this;
    return { hits, misses, commands, unnamed };
  }
}

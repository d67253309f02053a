import 'server-only';
import type { Redis } from 'ioredis';
import type { Key } from './commands';
import type { Topology } from './topology';

const TIMEOUT_MS = 250;

/**
 * What the console itself added to the server's `keyspace_hits` and `keyspace_misses`, so that it can be taken
 * out of hit rates. Which commands count is in `commands.ts` (traps.md, "Redis and its clients").
 */
export class OwnTraffic {
  hits = 0;
  misses = 0;
  commands = 0;
  /** Of the misses, those whose keys nobody told; a reply that was lost may have held some and counts as one. */
  unnamed = 0;
  /** What our commands reach this server through: their clients' addresses tell our commands in its MONITOR. */
  readonly topologies = new Set<Topology>();
  /** Hears of each key we missed and its database, where that is known. */
  readonly missed = new Set<(db: number, key: Key) => void>();

  private active = 0;
  private closed: Promise<void> | null = null;
  private idle: (() => void) | null = null;

  add(hits: number, misses: number): void {
    this.hits += hits;
    this.misses += misses;
  }

  /** A key that was not there: the server tells its listeners of it as well. */
  addMiss({ options: { db = 0 } }: Redis, key: Key, times = 1): void {
    this.misses += times;
    for (const hear of this.missed) for (let i = 0; i < times; i++) hear(db, key);
  }

  /**
   * Counts one run of a script by its first two results (`scripts/include/lookups.lua`), and gives the others. The
   * server counts its call and each call inside, of which every lookup is one.
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

  /** Work that is counted here. Not to be nested: a look at the counters waits for it, and it waits for the look. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    while (this.closed) await this.closed;
    this.active += 1;
    try {
      return await work();
    } catch (error) {
      this.unnamed += 1;
      throw error;
    } finally {
      this.active -= 1;
      if (this.active === 0) this.idle?.();
    }
  }

  /**
   * Looks at the server's counters while nothing of our own is on its way, so that what is in them and what is
   * counted here are the same to the unit. Work that hangs is not waited for longer than a moment: `look` is told
   * whether all had ended.
   */
  async quietly<T>(look: (isQuiet: boolean) => Promise<T>): Promise<T> {
    while (this.closed) await this.closed;
    let open = () => {};
    this.closed = new Promise((resolve) => {
      open = resolve;
    });
    try {
      if (this.active > 0) await this.untilIdle();
      return await look(this.active === 0);
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
      const timer = setTimeout(done, TIMEOUT_MS);
      this.idle = done;
    });
  }

  snapshot(): { hits: number; misses: number; commands: number; unnamed: number } {
    const { hits, misses, commands, unnamed } = this;
    return { hits, misses, commands, unnamed };
  }
}

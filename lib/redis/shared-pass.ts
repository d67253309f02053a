import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { processWide } from '@/lib/process-wide';
import { MINUTE } from '@/lib/time';
import type { ConnectionHandle } from './connections';
import { countWithRestart } from './server-process';

/** A slow pass is shared for several times its duration. */
const REST_FACTOR = 4;
/** A pass without readers is dropped from memory after this time. */
const RETAINED_MS = 10 * MINUTE;

/** The result of a pass, and the times it began and finished, epoch ms; null while the first one is running. */
export interface Passed<T> {
  found: T;
  startedAt: number | null;
  finishedAt: number | null;
}

interface Finished<T> {
  found: T;
  startedAt: number;
  finishedAt: number;
  tookMs: number;
  /** One of our own changes happened while it ran, or since. */
  isOutdated: boolean;
}

interface Parts<T> {
  handle: ConnectionHandle;
  /** How long readers share a pass at least, ms; 0 by default. */
  sharedMs?: number;
  empty: () => T;
  /** Fills the result of `empty`. May be called again, with an empty one. */
  fill: (found: T) => Promise<void>;
}

type RestOf<T> = (done: Finished<T>) => number;

/** A pass over the keys of one connection, made in the background when due and shared by all readers. */
export class SharedPass<T extends object> {
  private done: Finished<T> | null = null;
  private running: { found: T; end: Promise<void> } | null = null;
  /** Our own changes so far: a pass that was running during one does not have it. */
  private changes = 0;
  private dropTimer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: Parts<T>) {}

  /**
   * Waits up to `withinMs` for a newer pass if one is due, unless the latest took longer than that. Before the first has
   * finished, returns that one. `restOf`: how long a pass is shared, ms.
   */
  async current(withinMs: number, restOf: RestOf<T> = this.restOf): Promise<Passed<T>> {
    const { done } = this;
    if (done && !done.isOutdated && Date.now() < done.finishedAt + restOf(done)) return this.retain(done);
    this.running ??= this.begin();
    const { found, end } = this.running;
    if (done && !done.isOutdated && done.tookMs > withinMs) return this.retain(done);
    const waiting = new AbortController();
    try {
      await Promise.race([end, sleep(withinMs, undefined, { signal: waiting.signal }).catch(() => {})]);
    } finally {
      waiting.abort();
    }
    return this.retain(this.done ?? { found, startedAt: null, finishedAt: null });
  }

  /** One of our own changes: the next reader must see it. */
  outdate(): void {
    this.changes += 1;
    if (this.done) this.done.isOutdated = true;
  }

  private readonly restOf: RestOf<T> = ({ tookMs }) =>
    Math.max(this.parts.sharedMs ?? 0, REST_FACTOR * tookMs);

  private retain(passed: Passed<T>): Passed<T> {
    if (this.dropTimer) clearTimeout(this.dropTimer);
    this.dropTimer = setTimeout(() => {
      this.done = null;
    }, RETAINED_MS).unref();
    return passed;
  }

  private begin(): { found: T; end: Promise<void> } {
    const { handle, empty, fill } = this.parts;
    const found = empty();
    const [startedAt, started, before] = [Date.now(), performance.now(), this.changes];
    const walk = () => {
      // The pass may restart.
      Object.assign(found, empty());
      return fill(found);
    };
    const end = countWithRestart(handle, walk)
      .then(() => {
        this.done = {
          found,
          startedAt,
          finishedAt: Date.now(),
          tookMs: performance.now() - started,
          isOutdated: this.changes !== before,
        };
      })
      .finally(() => {
        this.running = null;
      });
    // Waiting readers get the error; without readers it would be unhandled.
    end.catch(() => undefined);
    return { found, end };
  }
}

/**
 * What `make` makes for each connection, once for each version of the catalog: another one may name other keys. `name` is
 * unique in the process.
 */
export const passPerConnection = <C extends object, P>(
  name: string,
  make: (handle: ConnectionHandle, catalog: C) => P,
) => {
  const known = processWide(name, () => new WeakMap<ConnectionHandle, { catalog: C; made: P }>());
  return {
    of: (handle: ConnectionHandle, catalog: C): P => {
      const before = known().get(handle);
      if (before?.catalog === catalog) return before.made;
      const made = make(handle, catalog);
      known().set(handle, { catalog, made });
      return made;
    },
    /** The next reader gets a new one. */
    drop: (handle: ConnectionHandle): void => void known().delete(handle),
    /** Tests begin without a pass. */
    forget: (): void => known.forget(),
  };
};

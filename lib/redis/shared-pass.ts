import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
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
}

interface Parts<T> {
  handle: ConnectionHandle;
  /** How long readers share a pass at least, ms. */
  sharedMs: number;
  empty: () => T;
  /** Fills the result of `empty`. May be called again, with an empty one. */
  fill: (found: T) => Promise<void>;
}

/** A pass over the keys of one connection, made in the background when due and shared by all readers. */
export class SharedPass<T extends object> {
  private done: Finished<T> | null = null;
  private running: { found: T; end: Promise<void> } | null = null;
  private dropTimer: NodeJS.Timeout | null = null;
  private readonly parts: Parts<T>;

  constructor(parts: Parts<T>) {
    this.parts = parts;
  }

  /**
   * Waits up to `withinMs` for a newer pass if one is due, unless the latest took longer than that. Before the first
   * has finished, returns that one.
   */
  async current(withinMs: number): Promise<Passed<T>> {
    const { done } = this;
    if (done && Date.now() < done.finishedAt + Math.max(this.parts.sharedMs, REST_FACTOR * done.tookMs))
      return this.retain(done);
    this.running ??= this.begin();
    const { found, end } = this.running;
    if (done && done.tookMs > withinMs) return this.retain(done);
    const waiting = new AbortController();
    try {
      await Promise.race([end, sleep(withinMs, undefined, { signal: waiting.signal }).catch(() => {})]);
    } finally {
      waiting.abort();
    }
    return this.retain(this.done ?? { found, startedAt: null, finishedAt: null });
  }

  private retain(passed: Passed<T>): Passed<T> {
    if (this.dropTimer) clearTimeout(this.dropTimer);
    this.dropTimer = setTimeout(() => {
      this.done = null;
    }, RETAINED_MS).unref();
    return passed;
  }

  private begin(): { found: T; end: Promise<void> } {
    const { handle, empty, fill } = this.parts;
    const result = empty();
    const [startedAt, started] = [Date.now(), performance.now()];
    const walk = () => {
      // The pass may restart.
      Object.assign(result, empty());
      return fill(result);
    };
    const end = countWithRestart(handle, walk)
      .then(() => {
        this.done = { found: result, startedAt, finishedAt: Date.now(), tookMs: performance.now() - started };
      })
      .finally(() => {
        this.running = null;
      });
    // Waiting readers get the error; without readers it would be unhandled.
    end.catch(() => undefined);
    return { found: result, end };
  }
}

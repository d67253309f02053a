import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from '@/lib/catalog/registry';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { countWithRestart } from '@/lib/redis/server-process';
import { MINUTE, SECOND } from '@/lib/time';
import { emptyPass, readViews, type ViewFamilies, type ViewsPass } from './pass';

/** How long readers share a pass; a slow one is shared for several times its duration. */
const SHARED_MS = SECOND;
const REST_FACTOR = 4;
/** A pass nobody reads is dropped from memory after this. */
const RETAINED_MS = 10 * MINUTE;

/** A pass with the time it finished, epoch ms; null while it is running. */
export interface SharedPass {
  pass: ViewsPass;
  finishedAt: number | null;
}

interface Finished {
  pass: ViewsPass;
  finishedAt: number;
  tookMs: number;
}

/** The views of one connection, read in the background and shared by all readers. */
class SharedViews {
  private done: Finished | null = null;
  private running: { pass: ViewsPass; end: Promise<void> } | null = null;
  private dropTimer: NodeJS.Timeout | null = null;
  readonly catalog: Registry;
  private readonly handle: ConnectionHandle;
  private readonly families: ViewFamilies;

  constructor(handle: ConnectionHandle, catalog: Registry, families: ViewFamilies) {
    this.handle = handle;
    this.catalog = catalog;
    this.families = families;
  }

  /** Waits up to `withinMs` for a newer pass if one is due. Until the first has finished, answers that one. */
  async current(withinMs: number): Promise<SharedPass> {
    const { done } = this;
    if (done && Date.now() < done.finishedAt + Math.max(SHARED_MS, REST_FACTOR * done.tookMs))
      return this.retain(done);
    this.running ??= this.begin();
    const { pass, end } = this.running;
    const waiting = new AbortController();
    try {
      await Promise.race([end, sleep(withinMs, undefined, { signal: waiting.signal }).catch(() => {})]);
    } finally {
      waiting.abort();
    }
    return this.retain(this.done ?? { pass, finishedAt: null });
  }

  private retain(shared: SharedPass): SharedPass {
    if (this.dropTimer) clearTimeout(this.dropTimer);
    this.dropTimer = setTimeout(() => {
      this.done = null;
    }, RETAINED_MS).unref();
    return shared;
  }

  private begin(): { pass: ViewsPass; end: Promise<void> } {
    const pass = emptyPass();
    const started = performance.now();
    const walk = () => {
      // It may begin again.
      Object.assign(pass, emptyPass());
      return readViews(this.handle, this.catalog, this.families, pass);
    };
    const end = countWithRestart(this.handle, walk)
      .then(() => {
        this.done = { pass, finishedAt: Date.now(), tookMs: performance.now() - started };
      })
      .finally(() => {
        this.running = null;
      });
    // Readers that wait get the error; there may be none.
    end.catch(() => undefined);
    return { pass, end };
  }
}

const known = processWide('views', () => new WeakMap<ConnectionHandle, SharedViews>());

export const sharedViews = (
  handle: ConnectionHandle,
  catalog: Registry,
  families: ViewFamilies,
  withinMs: number,
): Promise<SharedPass> => {
  const found = known().get(handle);
  // Another version of the catalog may name other keys.
  const views = found?.catalog === catalog ? found : new SharedViews(handle, catalog, families);
  known().set(handle, views);
  return views.current(withinMs);
};

/** Tests begin without a pass. */
export const forgetViews = (): void => known.forget();

import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeNotice } from '@/lib/command/change-notice';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import type { Registry } from '@/lib/keyspace/registry';
import { processWide } from '@/lib/process-wide';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { timeRoundTrip } from '@/lib/redis/round-trip';
import { countWithRestart } from '@/lib/redis/server-process';
import { MINUTE, SECOND } from '@/lib/time';
import { readWindow, type Window } from './window';

/** One HSCAN pass over the hash of windows. */
export interface Pass {
  /** By field, one character per byte; null where the value is unreadable. HSCAN may return a field twice: it is stored once. */
  windows: Map<string, Window | null>;
  /** Epoch ms; `finishedAt` is null while the pass is running. */
  startedAt: number;
  finishedAt: number | null;
  /** Progress, 0–1. */
  share: number;
}

/** Reading a field costs the server far less than reading a key, so one call takes several of the budget's chunks. */
const FIELDS_PER_KEY = 10;
const MAX_FIELDS = 1000;
/** A pass rests this many times as long as it kept the server busy: it costs at most a hundredth of a core. */
const REST_FACTOR = 100;
const MIN_REST_MS = 250;
/** While somebody has the page open its rows are never older than this. */
const MAX_PAGE_REST_MS = MINUTE;
/** A hash that fits one call is cheap, but the overview reads it all day long. */
const MIN_FIGURE_REST_MS = SECOND;
/** A longer field is no project id, and would stay in memory as long as the pass does. */
const MAX_FIELD_BYTES = 64 * 1024;
/** Progress of a pass that has not finished. */
const MAX_SHARE_WHILE_RUNNING = 0.999;
/** A pass nobody reads is dropped from memory after this. */
const RETAINED_MS = 10 * MINUTE;

/** Who reads: a page that somebody has open, or a figure that is refreshed in the background. */
export type PassReader = 'page' | 'figure';

/** 404 where the connection's catalog has no rate limits. */
export const windowsKey = (handle: ConnectionHandle, catalog: Registry): Key => {
  const family = catalog.role('rate-limit');
  if (!family) throw notFound(`A rate limit on connection "${handle.config.id}"`);
  return family.key();
};

/** A finished pass, and what it cost. */
interface Finished {
  pass: Pass;
  /** How long the server was busy, ms (waiting for an answer is an upper bound of it). */
  busyMs: number;
  calls: number;
  /** One of our own changes happened while it ran, or since. */
  isOutdated: boolean;
}

const restMs = ({ calls, busyMs, isOutdated }: Finished, reader: PassReader): number => {
  if (isOutdated) return 0;
  if (calls === 1) return reader === 'page' ? 0 : MIN_FIGURE_REST_MS;
  const rest = Math.max(MIN_REST_MS, REST_FACTOR * busyMs);
  return reader === 'page' ? Math.min(MAX_PAGE_REST_MS, rest) : Math.max(MIN_FIGURE_REST_MS, rest);
};

/** The windows of one connection, read in the background and shared by all readers. */
class Windows {
  private done: Finished | null = null;
  private running: { pass: Pass; end: Promise<void> } | null = null;
  /** Our own changes so far: a pass that was running during one does not have it. */
  private changes = 0;
  private dropTimer: NodeJS.Timeout | null = null;
  private readonly handle: ConnectionHandle;
  private readonly key: Key;

  constructor(handle: ConnectionHandle, key: Key) {
    this.handle = handle;
    this.key = key;
  }

  isOf(key: Key): boolean {
    return this.key.equals(key);
  }

  /** Waits up to `withinMs` for a newer pass if one is due. Until the first pass has finished, answers that one. */
  async current(withinMs: number, reader: PassReader): Promise<Pass> {
    const { done } = this;
    if (done && Date.now() < done.pass.finishedAt! + restMs(done, reader)) return this.retain(done.pass);
    this.running ??= this.begin();
    const { pass, end } = this.running;
    const waiting = new AbortController();
    try {
      await Promise.race([end, sleep(withinMs, undefined, { signal: waiting.signal }).catch(() => {})]);
    } finally {
      waiting.abort();
    }
    return this.retain(this.done?.pass ?? pass);
  }

  /** One of our own changes: the next reader must see it. */
  outdate(): void {
    this.changes += 1;
    if (this.done) this.done.isOutdated = true;
  }

  private retain(pass: Pass): Pass {
    if (this.dropTimer) clearTimeout(this.dropTimer);
    this.dropTimer = setTimeout(() => {
      this.done = null;
    }, RETAINED_MS).unref();
    return pass;
  }

  private begin(): { pass: Pass; end: Promise<void> } {
    const pass: Pass = { windows: new Map(), startedAt: Date.now(), finishedAt: null, share: 0 };
    const before = this.changes;
    const end = countWithRestart(this.handle, () => this.walk(pass))
      .then((cost) => {
        this.done = { pass, ...cost, isOutdated: this.changes !== before };
      })
      .finally(() => {
        this.running = null;
      });
    // Readers that wait get the error; there may be none.
    end.catch(() => undefined);
    return { pass, end };
  }

  private async walk(pass: Pass): Promise<Pick<Finished, 'busyMs' | 'calls'>> {
    const { background, topology } = this.handle;
    const { budget } = topology.nodeOf(this.key);
    pass.windows.clear();
    const count = Math.min(MAX_FIELDS, budget.limits.chunk * FIELDS_PER_KEY);
    const size = await background.read(['HLEN', this.key]);
    let cursor = '0';
    const paced = budget.walk();
    let [busyMs, calls, fields] = [0, 0, 0];
    do {
      const from = cursor;
      const { value: page, ...trip } = await paced(() =>
        timeRoundTrip(() => background.scanCollection('HSCAN', this.key, from, { count })),
      );
      busyMs += trip.most;
      calls += 1;
      for (let i = 0; i + 1 < page.elements.length; i += 2) {
        const field = page.elements[i]!;
        if (field.length > MAX_FIELD_BYTES) continue;
        const value = page.elements[i + 1]!.toString('latin1');
        pass.windows.set(field.toString('latin1'), readWindow(value));
      }
      cursor = page.cursor;
      fields += page.elements.length / 2;
      // A hash that grows during the pass could reach 100 % before the end.
      pass.share = cursor === '0' ? 1 : Math.min(fields / Math.max(size, 1), MAX_SHARE_WHILE_RUNNING);
    } while (cursor !== '0');
    pass.finishedAt = Date.now();
    return { busyMs, calls };
  }
}

const known = processWide('rate-limit-windows', () => new WeakMap<ConnectionHandle, Windows>());

const windowsOf = (handle: ConnectionHandle, catalog: Registry): Windows => {
  const key = windowsKey(handle, catalog);
  const found = known().get(handle);
  // Another version of the catalog may name another key.
  const windows = found?.isOf(key) ? found : new Windows(handle, key);
  known().set(handle, windows);
  return windows;
};

export const currentPass = (
  handle: ConnectionHandle,
  catalog: Registry,
  withinMs: number,
  reader: PassReader = 'page',
): Promise<Pass> => windowsOf(handle, catalog).current(withinMs, reader);

export const outdatePass = (handle: ConnectionHandle, catalog: Registry): void =>
  windowsOf(handle, catalog).outdate();

const notice = changeNotice('rate-limits');

/** For a page: also after a change in another process a new pass. */
export const passForPage = async (ctx: ReadContext, withinMs: number): Promise<Pass> => {
  if (await notice.isNew(ctx)) outdatePass(ctx.connection, ctx.catalog);
  return currentPass(ctx.connection, ctx.catalog, withinMs);
};

/** A window was changed here. */
export const windowsChanged = async (ctx: WriteContext): Promise<void> => {
  outdatePass(ctx.connection, ctx.catalog);
  await notice.send(ctx);
};

import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from '@/lib/catalog/registry';
import { notFound } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { timeRoundTrip } from '@/lib/redis/round-trip';
import { countWithRestart } from '@/lib/redis/server-process';
import { MINUTE } from '@/lib/time';
import { readWindow, type Window } from './window';

/** One walk over the hash. */
export interface Pass {
  /** By field, one character a byte; null where the value cannot be read. A field met twice, as HSCAN may, is there once. */
  windows: Map<string, Window | null>;
  /** When it was begun and when it had gone through everything, epoch ms. */
  startedAt: number;
  finishedAt: number | null;
  /** 0–1. */
  share: number;
}

/** A field costs the server far less than a key: many of the budget's chunks make one call. */
const FIELDS_PER_KEY = 10;
const MAX_FIELDS = 1000;
/** A pass is repeated after this many times the time it kept the server: a hundredth of a core at most. */
const REST = 100;
const [SOONEST_MS, LATEST_MS] = [250, MINUTE];
/** A longer field is no project's, and would be in memory for as long as the pass is. */
const MAX_FIELD_BYTES = 64 * 1024;
/** Of a pass that has not come to its end. */
const MAX_SHARE_UNDER_WAY = 0.999;
/** What nobody looks at any more is not kept. */
const KEPT_MS = 10 * MINUTE;

/** 404 where the connection's apps have no error collector. */
export const windowsKey = (handle: ConnectionHandle, catalog: Registry): Key => {
  const family = catalog.get('hawk.rate-limits');
  if (!family) throw notFound(`An error collector on connection "${handle.config.id}"`);
  return family.key();
};

/** The windows of one connection, read in the background and kept for whoever asks next. */
class Windows {
  private done: Pass | null = null;
  private running: { pass: Pass; end: Promise<void> } | null = null;
  private dueAt = 0;
  /** Counts our own changes: a pass that was under way at one knows nothing of it. */
  private changes = 0;
  private forget: NodeJS.Timeout | null = null;
  private readonly handle: ConnectionHandle;
  private readonly key: Key;

  constructor(handle: ConnectionHandle, key: Key) {
    this.handle = handle;
    this.key = key;
  }

  /** The newest there is within `withinMs`: a finished pass, or the first one as far as it came. */
  async current(withinMs: number): Promise<Pass> {
    if (this.done && Date.now() < this.dueAt) return this.keep(this.done);
    this.running ??= this.begin();
    const { pass, end } = this.running;
    const waiting = new AbortController();
    try {
      await Promise.race([end, sleep(withinMs, undefined, { signal: waiting.signal }).catch(() => {})]);
    } finally {
      waiting.abort();
    }
    return this.keep(this.done ?? pass);
  }

  /** Something was changed: the next who asks is to see it. */
  outdate(): void {
    this.changes += 1;
    this.dueAt = 0;
  }

  private keep(pass: Pass): Pass {
    if (this.forget) clearTimeout(this.forget);
    this.forget = setTimeout(() => {
      this.done = null;
    }, KEPT_MS).unref();
    return pass;
  }

  private begin(): { pass: Pass; end: Promise<void> } {
    const pass: Pass = { windows: new Map(), startedAt: Date.now(), finishedAt: null, share: 0 };
    const before = this.changes;
    const end = countWithRestart(this.handle, () => this.walk(pass))
      .then(({ busyMs, calls }) => {
        this.done = pass;
        // What one call reads costs no more than any page: it is read for whoever asks.
        const rest = calls === 1 ? 0 : Math.min(LATEST_MS, Math.max(SOONEST_MS, REST * busyMs));
        this.dueAt = this.changes === before ? Date.now() + rest : 0;
      })
      .finally(() => {
        this.running = null;
      });
    // Whoever waits meets the failure; nobody may be waiting.
    end.catch(() => undefined);
    return { pass, end };
  }

  /** Answers how long the server was kept, ms (waiting for an answer is an upper bound of it), by how many calls. */
  private async walk(pass: Pass): Promise<{ busyMs: number; calls: number }> {
    const { background, budget } = this.handle;
    pass.windows.clear();
    const count = Math.min(MAX_FIELDS, budget.limits.chunk * FIELDS_PER_KEY);
    const size = await background.read(['HLEN', this.key]);
    let cursor = '0';
    const inTurn = budget.walk();
    let [busyMs, calls, fields] = [0, 0, 0];
    do {
      const from = cursor;
      const { value: page, ...trip } = await inTurn(() =>
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
      // A hash that grows meanwhile is not gone through before its end.
      pass.share = cursor === '0' ? 1 : Math.min(fields / Math.max(size, 1), MAX_SHARE_UNDER_WAY);
    } while (cursor !== '0');
    pass.finishedAt = Date.now();
    return { busyMs, calls };
  }
}

const known = processWide('rate-limit-windows', () => new WeakMap<ConnectionHandle, Windows>());

const windowsOf = (handle: ConnectionHandle, catalog: Registry): Windows => {
  const windows = known().get(handle) ?? new Windows(handle, windowsKey(handle, catalog));
  known().set(handle, windows);
  return windows;
};

export const currentPass = (handle: ConnectionHandle, catalog: Registry, withinMs: number): Promise<Pass> =>
  windowsOf(handle, catalog).current(withinMs);

export const outdatePass = (handle: ConnectionHandle, catalog: Registry): void =>
  windowsOf(handle, catalog).outdate();

import 'server-only';
import { changeNotice } from '@/lib/command/change-notice';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { notFound } from '@/lib/errors';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { timeRoundTrip } from '@/lib/redis/round-trip';
import { passPerConnection, SharedPass } from '@/lib/redis/shared-pass';
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
  /** How long the server was busy, ms (waiting for an answer is an upper bound of it). */
  busyMs: number;
  calls: number;
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

/** Who reads: a page that somebody has open, or a figure that is refreshed in the background. */
export type PassReader = 'page' | 'figure';

/** 404 where the connection's catalog has no rate limits. */
export const windowsKey = (handle: ConnectionHandle, catalog: Registry): Key => {
  const family = catalog.role('rate-limit');
  if (!family) throw notFound(`A rate limit on connection "${handle.config.id}"`);
  return family.key();
};

const restMs = ({ calls, busyMs }: Pass, reader: PassReader): number => {
  if (calls === 1) return reader === 'page' ? 0 : MIN_FIGURE_REST_MS;
  const rest = Math.max(MIN_REST_MS, REST_FACTOR * busyMs);
  return reader === 'page' ? Math.min(MAX_PAGE_REST_MS, rest) : Math.max(MIN_FIGURE_REST_MS, rest);
};

const emptyPass = (): Pass => ({
  windows: new Map(),
  startedAt: Date.now(),
  finishedAt: null,
  share: 0,
  busyMs: 0,
  calls: 0,
});

const walk = async ({ background, topology }: ConnectionHandle, key: Key, pass: Pass): Promise<void> => {
  const { budget } = topology.nodeOf(key);
  const count = Math.min(MAX_FIELDS, budget.limits.chunk * FIELDS_PER_KEY);
  const size = await background.read(['HLEN', key]);
  let cursor = '0';
  const paced = budget.walk();
  let fields = 0;
  do {
    const from = cursor;
    const { value: page, ...trip } = await paced(() =>
      timeRoundTrip(() => background.scanCollection('HSCAN', key, from, { count })),
    );
    pass.busyMs += trip.most;
    pass.calls += 1;
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
};

/** The windows of each connection, read in the background and shared by all readers. */
const passes = passPerConnection('rate-limit-windows', (handle, catalog: Registry) => {
  const key = windowsKey(handle, catalog);
  return new SharedPass({ handle, empty: emptyPass, fill: (pass: Pass) => walk(handle, key, pass) });
});

/** Waits up to `withinMs` for a newer pass if one is due. Until the first pass has finished, answers that one. */
export const currentPass = async (
  handle: ConnectionHandle,
  catalog: Registry,
  withinMs: number,
  reader: PassReader = 'page',
): Promise<Pass> => {
  const { found } = await passes.of(handle, catalog).current(withinMs, ({ found }) => restMs(found, reader));
  return found;
};

export const outdatePass = (handle: ConnectionHandle, catalog: Registry): void =>
  passes.of(handle, catalog).outdate();

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

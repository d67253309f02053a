import 'server-only';
import type { Redis } from 'ioredis';
import type { ScanBudget } from './budget';
import type { Arg, Key } from './commands';
import type { ConnectionHandle } from './connections';
import { unavailable } from './failure';
import { runsReadScripts } from './read-script';
import { type PickedChunk, runScanScript } from './scan-script';
import { shareOfCursor } from './strands';
import { readyClient } from './topology';

export interface ScanOptions {
  /** A Redis glob; the caller escapes what is not meant as one. */
  match?: string | Buffer;
  /** Where to go on, from a chunk before; the beginning unless said. */
  cursor?: string;
  /** Keys asked for in a call at most, where the budget's chunk is too many. */
  chunk?: number;
  /** How many of the budget's chunks one call may take, where a key costs the server little. */
  times?: number;
  /** The connection's own, which all its scans share, unless said. */
  budget?: ScanBudget;
  signal?: AbortSignal;
}

export interface ScanChunk {
  keys: Key[];
  /** Where the next chunk begins; null after the last. */
  cursor: string | null;
}

/** `node:cursor`, so that a scan over several primaries resumes where it stopped. */
const parseCursor = (cursor: string | undefined, nodes: number): [number, string] => {
  const match = /^(\d{1,4}):(\d{1,20})$/.exec(cursor ?? '0:0');
  const node = match ? Number(match[1]) : 0;
  return match && node < nodes ? [node, match[2]!] : [0, '0'];
};

/** The share of the keyspace a scan has walked by a cursor, 0–1. */
export const shareScanned = (cursor: string | null, nodes: number): number => {
  if (cursor === null) return 1;
  const [index, at] = parseCursor(cursor, nodes);
  return (index + shareOfCursor(at)) / nodes;
};

const LARGEST_CURSOR = 2n ** 64n - 1n;

/** Whether Redis takes this as a cursor of SCAN, HSCAN and the like. */
export const isServerCursor = (cursor: string): boolean =>
  /^\d{1,20}$/.test(cursor) && BigInt(cursor) <= LARGEST_CURSOR;

/** Whether this is a cursor of `scanKeys`. */
export const isScanCursor = (cursor: string): boolean => {
  const [, at] = /^\d{1,4}:(\d{1,20})$/.exec(cursor) ?? [];
  return at !== undefined && isServerCursor(at);
};

/** One call of a scan on one node: what it gave, and the server's next cursor (`0` after the last). */
type Step<T> = (redis: Redis, cursor: string, count: number) => Promise<{ value: T; next: string }>;

/** One step, and how many ms it took: the wait for its turn is no work of the server's. */
const timed = async <T>(handle: ConnectionHandle, step: () => Promise<T>): Promise<T & { took: number }> => {
  const started = performance.now();
  try {
    const taken = await step();
    handle.own.commands += 1;
    return { ...taken, took: performance.now() - started };
  } catch (error) {
    throw unavailable(handle.config.id, error);
  }
};

/** Goes through every primary in chunks, under the connection's budget. */
async function* walk<T>(
  handle: ConnectionHandle,
  options: ScanOptions,
  step: Step<T>,
): AsyncGenerator<{ value: T; cursor: string | null }> {
  const budget = options.budget ?? handle.budget;
  const nodes = handle.topology.primaries();
  let [index, cursor] = parseCursor(options.cursor, nodes.length);
  while (index < nodes.length) {
    options.signal?.throwIfAborted();
    const redis = await readyClient(handle.config.id, nodes[index]!, 'scan');
    const count = Math.min(options.chunk ?? Infinity, budget.limits.chunk * (options.times ?? 1));
    const from = cursor;
    const {
      value,
      next: reached,
      took,
    } = await handle.own.during(() => timed(handle, () => step(redis, from, count)));
    cursor = reached;
    if (cursor === '0') index += 1;
    const next = index >= nodes.length ? null : `${index}:${cursor}`;
    yield { value, cursor: next };
    if (next !== null) await budget.spend(took, options.signal);
  }
}

/**
 * SCAN over every primary in chunks, under the connection's budget. A key may come twice and a key that comes
 * or goes meanwhile may be missed: SCAN's own guarantees. Never uses SCAN … TYPE, which counts as hits.
 */
export async function* scanKeys(
  handle: ConnectionHandle,
  options: ScanOptions = {},
): AsyncGenerator<ScanChunk> {
  const match = options.match === undefined ? [] : ['MATCH', options.match];
  const step: Step<Key[]> = async (redis, cursor, count) => {
    const reply = await redis.callBuffer('SCAN', [cursor, ...match, 'COUNT', count]);
    const [next, keys] = reply as [Buffer, Buffer[]];
    return { value: keys, next: next.toString('latin1') };
  };
  for await (const { value, cursor } of walk(handle, options, step)) yield { keys: value, cursor };
}

/** Whether every primary runs read-only scripts: else a scan has to fetch what a script would have left out. */
export const canScanByScript = async (handle: ConnectionHandle): Promise<boolean> => {
  for (const node of handle.topology.primaries()) {
    const redis = await readyClient(handle.config.id, node, 'scan');
    const able = await runsReadScripts(redis).catch((error) => {
      throw unavailable(handle.config.id, error);
    });
    if (!able) return false;
  }
  return true;
};

/**
 * As `scanKeys`, with a script that scans and picks on the server (`scan-script.ts`): only what it picked comes over
 * the wire. `args` is asked for at each call. `examined`: keys that matched the pattern.
 */
export async function* scanByScript(
  handle: ConnectionHandle,
  name: string,
  args: () => readonly Arg[],
  { match = '*', ...options }: ScanOptions = {},
): AsyncGenerator<Omit<PickedChunk, 'next'> & { cursor: string | null }> {
  const step: Step<PickedChunk> = async (redis, cursor, count) => {
    const asks = [{ cursor, count }];
    const [chunk] = await runScanScript(handle, redis, { name, asks, args: [match, ...args()] });
    return { value: chunk!, next: chunk!.next };
  };
  for await (const { value, cursor } of walk(handle, options, step))
    yield { picked: value.picked, examined: value.examined, cursor };
}

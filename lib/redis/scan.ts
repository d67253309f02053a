import 'server-only';
import type { ScanBudget } from './budget';
import type { Key } from './commands';
import type { ConnectionHandle } from './connections';
import { unavailable } from './failure';
import { readyClient } from './topology';

export interface ScanOptions {
  /** A Redis glob; the caller escapes what is not meant as one. */
  match?: string | Buffer;
  /** Where to go on, from a chunk before; the beginning unless said. */
  cursor?: string;
  /** Keys asked for in a call at most, where the budget's chunk is too many. */
  chunk?: number;
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

/**
 * The share of the keyspace a scan has walked by a cursor, 0–1. SCAN counts the bits of a bucket's number from the
 * highest down, so that the cursor's reversed bits are the fraction, whatever the size of the table.
 */
export const shareScanned = (cursor: string | null, nodes: number): number => {
  if (cursor === null) return 1;
  const [index, at] = parseCursor(cursor, nodes);
  let share = 0;
  for (let rest = BigInt(at), bit = 0.5; rest > 0n; rest >>= 1n, bit /= 2) if (rest & 1n) share += bit;
  return (index + share) / nodes;
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

/**
 * SCAN over every primary in chunks, under the connection's budget. A key may come twice and a key that comes
 * or goes meanwhile may be missed: SCAN's own guarantees. Never uses SCAN … TYPE, which counts as hits.
 */
export async function* scanKeys(
  handle: ConnectionHandle,
  options: ScanOptions = {},
): AsyncGenerator<ScanChunk> {
  const budget = options.budget ?? handle.budget;
  const nodes = handle.topology.primaries();
  let [index, cursor] = parseCursor(options.cursor, nodes.length);
  while (index < nodes.length) {
    options.signal?.throwIfAborted();
    const redis = await readyClient(handle.config.id, nodes[index]!, 'scan');
    const args: (string | Buffer | number)[] = [cursor];
    if (options.match !== undefined) args.push('MATCH', options.match);
    args.push('COUNT', Math.min(options.chunk ?? Infinity, budget.limits.chunk));
    const started = performance.now();
    let reply: [Buffer, Buffer[]];
    try {
      reply = (await redis.callBuffer('SCAN', args)) as [Buffer, Buffer[]];
    } catch (error) {
      throw unavailable(handle.config.id, error);
    }
    const took = performance.now() - started;
    handle.own.commands += 1;
    cursor = reply[0].toString('latin1');
    if (cursor === '0') index += 1;
    const next = index >= nodes.length ? null : `${index}:${cursor}`;
    yield { keys: reply[1], cursor: next };
    if (next !== null) await budget.spend(took, options.signal);
  }
}

import 'server-only';
import type { Redis } from 'ioredis';
import type { ScanBudget } from './budget';
import type { Arg, Key } from './commands';
import type { ConnectionHandle } from './connections';
import { unavailable } from './failure';
import { unpackKeys } from './packed-keys';
import { runReadScript, runsReadScripts } from './read-script';
import { timeRoundTrip } from './round-trip';
import { script } from './scripts';
import { CURSORS, type Node, readyClient } from './topology';

export interface ScanOptions {
  /** A Redis glob; the caller escapes literal text. */
  match?: string | Buffer;
  /** The cursor of an earlier chunk; the beginning by default. */
  cursor?: string;
  /** The share of the keyspace before `cursor`, 0–1, as the earlier scan reported it. */
  shareBefore?: number | undefined;
  /** Limits COUNT, where the budget's chunk is too large; a function is called before each chunk. */
  chunk?: number | (() => number);
  /** Keys of the first call, as a multiple of the budget's chunk: more where a key costs the server little. */
  times?: number;
  /** Whether a user asked for the faster pace. */
  isFaster?: () => boolean;
  /** The connection's own by default, shared by all its scans. */
  budget?: ScanBudget;
  signal?: AbortSignal;
  /** Whether chunks report their share of the keyspace, which costs a DBSIZE. */
  withShare?: boolean;
}

/** A scan from the beginning to the end. */
export type WholeScanOptions = Pick<ScanOptions, 'times' | 'budget' | 'signal' | 'isFaster'>;

/** How far a scan has come. */
export interface ScanPlace {
  /** Where the next chunk begins; null after the last. */
  cursor: string | null;
  /** The share of the keyspace scanned, 0–1: approximate, because COUNT is; 1 after the last. */
  share: number;
}

/** `node:cursor`, so that a scan over several primaries resumes where it stopped. */
const parseCursor = (cursor: string | undefined, nodes: number): [number, string] => {
  const match = /^(\d{1,4}):(\d{1,20})$/.exec(cursor ?? '0:0');
  const node = match ? Number(match[1]) : 0;
  return match && node < nodes ? [node, match[2]!] : [0, '0'];
};

const MAX_CURSOR = 2n ** 64n - 1n;

/** Whether Redis accepts this as a cursor of SCAN, HSCAN and the like. */
export const isServerCursor = (cursor: string): boolean =>
  /^\d{1,20}$/.test(cursor) && BigInt(cursor) <= MAX_CURSOR;

/** Whether this is a cursor of `scanKeys`. */
export const isScanCursor = (cursor: string): boolean => {
  const [, at] = /^\d{1,4}:(\d{1,20})$/.exec(cursor) ?? [];
  return at !== undefined && isServerCursor(at);
};

/** The result of one call on one node. */
export interface StepResult<T> {
  value: T;
  /** The server's next cursor, `0` after the last. */
  next: string;
  /** Keys examined, where the step knows: it may be more than COUNT, which is a hint. */
  examined?: number;
  /** The COUNT that it got through, where it may end early. */
  keys?: number;
  /** The server's own time, where it is known, ms. */
  serverMs?: number;
  /** Commands of the step that are not counted elsewhere; 1 by default. */
  commands?: number;
}
export type ScanStep<T> = (redis: Redis, cursor: string, count: number, node: Node) => Promise<StepResult<T>>;

const failing = async <T>(handle: ConnectionHandle, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw unavailable(handle.config.id, error);
  }
};

/** Runs one step and measures it, without its time in the queue. */
const timed = async <T>(handle: ConnectionHandle, node: Node, step: () => Promise<StepResult<T>>) => {
  const { value: taken, ...trip } = await timeRoundTrip(() => failing(handle, step));
  node.own.commands += taken.commands ?? 1;
  return { ...taken, ...trip };
};

const readSize = (handle: ConnectionHandle, node: Node, redis: Redis): Promise<number> =>
  node.own.track(async () => {
    const size = await failing(handle, () => redis.dbsize());
    node.own.commands += 1;
    return size;
  });

/** Until it ends, a scan never reports the full keyspace, whatever its counts say. */
const MAX_SHARE_UNDER_WAY = 0.999;

/** Scans every primary in chunks, under the connection's budget. */
export async function* walkNodes<T>(
  handle: ConnectionHandle,
  options: ScanOptions,
  kind: string,
  step: ScanStep<T>,
): AsyncGenerator<ScanPlace & { value: T }> {
  const { signal, times, isFaster, chunk = Infinity } = options;
  const nodes = handle.topology.primaries();
  let [index, cursor] = parseCursor(options.cursor, nodes.length);
  /** Of the node where the scan goes on. */
  let before = Math.max(0, (options.shareBefore ?? 0) * nodes.length - index);
  for (; index < nodes.length; index += 1) {
    signal?.throwIfAborted();
    const node = nodes[index]!;
    const redis = await readyClient(handle.config.id, node, CURSORS);
    const pace = (options.budget ?? node.budget).pace(kind, { signal, times, isFaster });
    let size: number | null = null;
    let scanned = 0;
    do {
      signal?.throwIfAborted();
      const count = Math.min(typeof chunk === 'function' ? chunk() : chunk, pace.keys());
      const from = cursor;
      const done = await pace.run(() => {
        signal?.throwIfAborted();
        return node.own.track(() => timed(handle, node, () => step(redis, from, count, node)));
      }, count);
      scanned += Math.max(done.keys ?? count, done.examined ?? 0);
      cursor = done.next;
      const isNodeOver = cursor === '0';
      const isOver = isNodeOver && index === nodes.length - 1;
      const next = isNodeOver ? index + 1 : index;
      let share = isNodeOver ? 1 : 0;
      if (!isNodeOver && options.withShare) {
        size ??= await readSize(handle, node, redis);
        share = Math.min(before + scanned / size, MAX_SHARE_UNDER_WAY);
      }
      yield {
        value: done.value,
        cursor: isOver ? null : `${next}:${cursor}`,
        share: (index + share) / nodes.length,
      };
    } while (cursor !== '0');
    before = 0;
  }
}

const scan = async (redis: Redis, cursor: string, args: readonly Arg[]): Promise<StepResult<Key[]>> => {
  const [next, keys] = (await redis.callBuffer('SCAN', [cursor, ...args])) as [Buffer, Key[]];
  return { value: keys, next: next.toString('latin1'), examined: keys.length };
};

/**
 * SCAN over every primary in chunks, under the connection's budget. With SCAN's own guarantees: a key may be returned
 * twice, and a key created or deleted meanwhile may be missed. Never uses SCAN … TYPE, which counts as hits.
 */
export async function* scanKeys(
  handle: ConnectionHandle,
  options: ScanOptions = {},
): AsyncGenerator<ScanPlace & { keys: Key[] }> {
  const match = options.match === undefined ? [] : ['MATCH', options.match];
  const step: ScanStep<Key[]> = (redis, cursor, count) => scan(redis, cursor, [...match, 'COUNT', count]);
  for await (const { value: keys, ...place } of walkNodes(handle, options, 'scan', step))
    yield { keys, ...place };
}

/** Whether every primary runs read-only scripts. Otherwise the console fetches what a script would filter out. */
export const canScanByScript = async (handle: ConnectionHandle): Promise<boolean> => {
  for (const node of handle.topology.primaries()) {
    const redis = await readyClient(handle.config.id, node, 'scan');
    if (!(await failing(handle, () => runsReadScripts(redis)))) return false;
  }
  return true;
};

/** Runs a script of a step: its look-ups are counted and removed from the reply. */
export const runScanScript = async <Reply>(
  node: Node,
  redis: Redis,
  name: string,
  args: readonly Arg[],
): Promise<Reply> => node.own.addScript(redis, await runReadScript(redis, script(name), [], args)) as Reply;

/** A key that a script selected, and the value it returned with it. */
export interface Picked {
  key: Key;
  beside: Buffer;
}

export interface PickedChunk {
  picked: Picked[];
  /** Keys that matched the pattern. */
  examined: number;
}

/**
 * As `scanKeys`, with a script that scans and filters on the server, so that only matches are sent. The script gets
 * cursor, count and pattern, then `args`, evaluated for each call; it replies hits, misses, SCANs, next cursor, keys
 * examined, then key and value of each match.
 */
export async function* scanByScript(
  handle: ConnectionHandle,
  name: string,
  args: () => readonly Arg[],
  { match = '*', ...options }: ScanOptions = {},
): AsyncGenerator<ScanPlace & PickedChunk> {
  const step: ScanStep<PickedChunk> = async (redis, cursor, count, node) => {
    const reply = await runScanScript<[number, Buffer, number, ...Buffer[]]>(node, redis, name, [
      ...[cursor, count, match],
      ...args(),
    ]);
    const [commands, next, examined, ...found] = reply;
    const picked: Picked[] = [];
    for (let i = 0; i < found.length; i += 2) picked.push({ key: found[i]!, beside: found[i + 1]! });
    return { value: { picked, examined }, next: next.toString('latin1'), examined, commands };
  };
  for await (const { value, ...place } of walkNodes(handle, options, name, step))
    yield { ...value, ...place };
}

const matchByScript =
  (patterns: readonly (string | Buffer)[]): ScanStep<Key[]> =>
  async (redis, cursor, count, node) => {
    const reply = await runScanScript<[number, Buffer, Buffer]>(node, redis, 'match-keys', [
      ...[cursor, count],
      ...patterns,
    ]);
    const [commands, next, packed] = reply;
    const keys = unpackKeys(packed);
    // With several patterns a key may be returned several times.
    const examined = patterns.length === 1 ? keys.length : 0;
    return { value: keys, next: next.toString('latin1'), examined, commands };
  };

/** A SCAN for each pattern. If a resized table ends them at different cursors, they are repeated. */
const matchByCommands =
  (patterns: readonly (string | Buffer)[]): ScanStep<Key[]> =>
  async (redis, cursor, count) => {
    for (let commands = patterns.length; ; commands += patterns.length) {
      const pages = await Promise.all(
        patterns.map((pattern) => scan(redis, cursor, ['MATCH', pattern, 'COUNT', count])),
      );
      const [{ next }] = pages as [StepResult<Key[]>];
      if (pages.every((page) => page.next === next))
        return { value: pages.flatMap(({ value }) => value), next, commands };
    }
  };

/**
 * Keys that match any of the patterns, in one scan: each part of the table is matched against all patterns while it is
 * in the processor's cache. A key that matches several patterns is returned several times.
 */
export async function* scanPatterns(
  handle: ConnectionHandle,
  patterns: readonly (string | Buffer)[],
  options: WholeScanOptions = {},
): AsyncGenerator<ScanPlace & { keys: Key[] }> {
  // For a single pattern a script only adds to the cost of SCAN.
  const byScript = patterns.length > 1 && (await canScanByScript(handle));
  const step = byScript ? matchByScript(patterns) : matchByCommands(patterns);
  const kind = `scan for ${patterns.length}`;
  for await (const { value: keys, ...place } of walkNodes(
    handle,
    { ...options, withShare: true },
    kind,
    step,
  ))
    yield { keys, ...place };
}

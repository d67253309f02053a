import 'server-only';
import type { Pipeline, Redis } from 'ioredis';
import type { ScanBudget } from './budget';
import type { Arg, Key } from './commands';
import type { ConnectionHandle } from './connections';
import { unavailable } from './failure';
import { canScanByScript, type ScanOptions } from './scan';
import { type Picked, runMatchScript, runScanScript } from './scan-script';
import { type Ask, type Given, Strands, shareOfCursor, type Turn } from './strands';
import { type Purpose, readyClient } from './topology';

/** A scan from the beginning to the end: it cannot be gone on with, and so may go through the table as suits it. */
export type WholeScanOptions = Pick<ScanOptions, 'times' | 'budget' | 'signal'>;

/** A call for each strand, on their way together; `commands`: how many the server counted. */
type Step<T> = (redis: Redis, asks: readonly Ask[]) => Promise<{ given: Given<T>[]; commands: number }>;

interface WholeChunk<T> {
  items: T[];
  /** Keys looked at; a key between two strands may be looked at twice. */
  examined: number;
  /** The share of the keyspace gone through, 0–1. */
  share: number;
}

const failing = async <T>(handle: ConnectionHandle, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw unavailable(handle.config.id, error);
  }
};

interface Walk<T> {
  strands: Strands<T>;
  lanes: 1 | 2;
  budget: ScanBudget;
  signal: AbortSignal | undefined;
}

/** Goes through one server's table, with a call of each lane under way. */
async function* walkNode<T>(
  handle: ConnectionHandle,
  redis: Redis,
  { strands, lanes, budget, signal }: Walk<T>,
  step: Step<T>,
): AsyncGenerator<WholeChunk<T>> {
  let free = 0;
  const call = async (turn: Turn<T>) => {
    const sent = performance.now();
    const { given, commands } = await handle.own.during(() => failing(handle, () => step(redis, turn.asks)));
    handle.own.commands += commands;
    // Behind another lane's call, waiting for it is no work of the server's.
    const took = performance.now() - Math.max(sent, free);
    free = performance.now();
    const examined = given.reduce((sum, { items, examined: each = items.length }) => sum + each, 0);
    return { take: () => turn.take(given), examined, took };
  };
  const begin = (lane: number) => {
    const turn = strands.turn(lane);
    const begun = turn && call(turn);
    // A failure is met when it is its turn, which may never come.
    begun?.catch(() => undefined);
    return begun;
  };
  const underWay = Array.from({ length: lanes }, (_, lane) => begin(lane));
  try {
    for (let lane = 0; !strands.done; lane = (lane + 1) % lanes) {
      signal?.throwIfAborted();
      const done = await (underWay[lane] ?? begin(lane));
      if (!done) continue;
      const items = done.take();
      yield { items, examined: done.examined, share: strands.share };
      if (!strands.done) await budget.spend(done.took, signal);
      signal?.throwIfAborted();
      underWay[lane] = begin(lane);
    }
  } finally {
    await Promise.allSettled(underWay);
  }
}

/** Goes through every primary, under the connection's budget. Only without pauses two calls are under way at once. */
export async function* walkWhole<T>(
  handle: ConnectionHandle,
  { times = 1, budget = handle.budget, signal, purpose = 'scan' }: WholeScanOptions & { purpose?: Purpose },
  idOf: (item: T) => string,
  step: Step<T>,
): AsyncGenerator<WholeChunk<T>> {
  const nodes = handle.topology.primaries();
  for (const [index, node] of nodes.entries()) {
    signal?.throwIfAborted();
    const redis = await readyClient(handle.config.id, node, purpose);
    const size = await failing(handle, () => redis.dbsize());
    handle.own.commands += 1;
    const lanes = budget.limits.pauseMs === 0 ? 2 : 1;
    const strands = new Strands({ size, perTurn: budget.limits.chunk * times, lanes }, idOf);
    for await (const chunk of walkNode(handle, redis, { strands, lanes, budget, signal }, step))
      yield { ...chunk, share: (index + chunk.share) / nodes.length };
  }
}

type ScanReply = [Buffer, Buffer[]];

/** What the calls of one strand gave, one a pattern: it goes on where the least advanced of them is. */
const joined = (replies: readonly ScanReply[]): Given<Key> => {
  const nexts = replies.map(([next]) => next.toString('latin1'));
  const share = (next: string): number => (next === '0' ? 1 : shareOfCursor(next));
  const next = nexts.reduce((least, one) => (share(one) < share(least) ? one : least));
  return { next, items: replies.flatMap(([, keys]) => keys) };
};

/** All calls in one pipeline, a pattern each. */
const matchByCommands =
  (patterns: readonly (string | Buffer)[]): Step<Key> =>
  async (redis, asks) => {
    const pipeline = redis.pipeline() as Pipeline;
    for (const { cursor, count } of asks)
      for (const pattern of patterns) pipeline.callBuffer('SCAN', [cursor, 'MATCH', pattern, 'COUNT', count]);
    const replies = ((await pipeline.exec()) ?? []).map(([error, reply]) => {
      if (error) throw error;
      return reply as ScanReply;
    });
    const given = asks.map((_, i) => joined(replies.slice(i * patterns.length, (i + 1) * patterns.length)));
    return { given, commands: replies.length };
  };

/** All calls in one script: an eighth of the work for the console, and none of waiting for cursors. */
const matchByScript =
  (handle: ConnectionHandle, patterns: readonly (string | Buffer)[]): Step<Key> =>
  (redis, asks) =>
    runMatchScript(handle, redis, asks, patterns);

export const idOfKey = (key: Key): string => key.toString('latin1');

/**
 * Keys that match any of the patterns, in one walk: the same keys are looked at for each pattern in turn, while they
 * are still in the processor's cache. A key that matches several patterns comes several times.
 */
export async function* scanPatterns(
  handle: ConnectionHandle,
  patterns: readonly (string | Buffer)[],
  options: WholeScanOptions = {},
): AsyncGenerator<{ keys: Key[]; share: number }> {
  const byScript = await canScanByScript(handle);
  const step = byScript ? matchByScript(handle, patterns) : matchByCommands(patterns);
  for await (const { items: keys, share } of walkWhole(handle, options, idOfKey, step)) yield { keys, share };
}

/** As `scanPatterns` with one pattern, with a script that picks on the server: only what it picked is sent. */
export async function* scanWholeByScript(
  handle: ConnectionHandle,
  name: string,
  args: () => readonly Arg[],
  { match, ...options }: WholeScanOptions & { match: string | Buffer },
): AsyncGenerator<{ picked: Picked[]; examined: number; share: number }> {
  const step: Step<Picked> = async (redis, asks) => {
    const chunks = await runScanScript(handle, redis, { name, asks, args: [match, ...args()] });
    const given = chunks.map(({ picked, ...rest }) => ({ ...rest, items: picked }));
    return { given, commands: chunks.length };
  };
  const walk = walkWhole(handle, options, ({ key }: Picked) => idOfKey(key), step);
  for await (const { items: picked, examined, share } of walk) yield { picked, examined, share };
}

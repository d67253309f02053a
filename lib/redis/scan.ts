import 'server-only';
import type { Redis } from 'ioredis';
import type { Arg, Key } from './commands';
import type { ConnectionHandle } from './connections';
import { unpackKeys } from './packed-keys';
import { runReadScript, runsReadScripts } from './read-script';
import {
  failing,
  type ScanOptions,
  type ScanPlace,
  type ScanStep,
  type StepResult,
  type WholeScanOptions,
  walkNodes,
} from './scan-nodes';
import { script } from './scripts';
import { type Node, readyClient } from './topology';

const stepOf = (keys: Key[], rest: Omit<StepResult<Key[]>, 'value' | 'select'>): StepResult<Key[]> => ({
  value: keys,
  select: (isWanted) => keys.filter(isWanted),
  ...rest,
});

const scan = async (redis: Redis, cursor: string, args: readonly Arg[]): Promise<StepResult<Key[]>> => {
  const [next, keys] = (await redis.callBuffer('SCAN', [cursor, ...args])) as [Buffer, Key[]];
  return stepOf(keys, { next: next.toString('latin1'), examined: keys.length });
};

/**
 * Runs SCAN over every primary in chunks, under the connection's budget. SCAN's guarantees apply: a key may be
 * returned twice, and a key created or deleted meanwhile may be missed. Never uses SCAN … TYPE, which counts as hits.
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

/** Runs a step's script; its look-ups are counted and removed from the reply. */
export const runScanScript = async <Reply>(
  node: Node,
  redis: Redis,
  name: string,
  args: readonly Arg[],
  isAsking = false,
): Promise<Reply> =>
  node.own.addScript(redis, await runReadScript(redis, script(name), [], args, isAsking)) as Reply;

/** A key that a script selected, and the value it returned with it. */
export interface Picked {
  key: Key;
  beside: Buffer;
}

export interface PickedChunk {
  picked: Picked[];
  /** The number of keys that matched the pattern. */
  examined: number;
}

/**
 * Like `scanKeys`, with a script that scans and filters on the server, so that only matches are sent. The script gets
 * cursor, count and pattern, then `args`, evaluated for each call; it replies hits, misses, SCANs, next cursor, keys
 * examined, then key and value of each match.
 */
export async function* scanByScript(
  handle: ConnectionHandle,
  name: string,
  args: () => readonly Arg[],
  { match = '*', ...options }: ScanOptions = {},
): AsyncGenerator<ScanPlace & PickedChunk> {
  const step: ScanStep<PickedChunk> = async (redis, cursor, count, node, isAsking) => {
    const given = [cursor, count, match, ...args()];
    const reply = await runScanScript<[number, Buffer, number, ...Buffer[]]>(
      node,
      redis,
      name,
      given,
      isAsking,
    );
    const [commands, next, examined, ...rest] = reply;
    const picked: Picked[] = [];
    for (let i = 0; i < rest.length; i += 2) picked.push({ key: rest[i]!, beside: rest[i + 1]! });
    return {
      value: { picked, examined },
      select: (isWanted, isAgain) => {
        const wanted = picked.filter(({ key }) => isWanted(key));
        return { picked: wanted, examined: isAgain ? wanted.length : examined };
      },
      next: next.toString('latin1'),
      examined,
      commands,
    };
  };
  for await (const { value, ...place } of walkNodes(handle, options, name, step))
    yield { ...value, ...place };
}

const matchByScript =
  (patterns: readonly (string | Buffer)[]): ScanStep<Key[]> =>
  async (redis, cursor, count, node) => {
    const reply = await runScanScript<[number, Buffer, Buffer]>(node, redis, 'match-keys', [
      cursor,
      count,
      ...patterns,
    ]);
    const [commands, next, packed] = reply;
    const keys = unpackKeys(packed);
    // With several patterns a key may be returned several times.
    const examined = patterns.length === 1 ? keys.length : 0;
    return stepOf(keys, { next: next.toString('latin1'), examined, commands });
  };

/** One SCAN per pattern. If a resized table ends them at different cursors, they are repeated. */
const matchByCommands =
  (patterns: readonly (string | Buffer)[]): ScanStep<Key[]> =>
  async (redis, cursor, count) => {
    for (let commands = patterns.length; ; commands += patterns.length) {
      const pages = await Promise.all(
        patterns.map((pattern) => scan(redis, cursor, ['MATCH', pattern, 'COUNT', count])),
      );
      const [{ next }] = pages as [StepResult<Key[]>];
      if (pages.every((page) => page.next === next))
        return stepOf(
          pages.flatMap(({ value }) => value),
          { next, commands },
        );
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

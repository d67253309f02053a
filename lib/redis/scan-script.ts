import 'server-only';
import type { Redis } from 'ioredis';
import type { Arg, Key } from './commands';
import type { ConnectionHandle } from './connections';
import { unpackKeys } from './packed-keys';
import { runReadScript } from './read-script';
import { script } from './scripts';
import type { Ask, Given } from './strands';

/** A key that a script picked, and what it gave beside it. */
export interface Picked {
  key: Key;
  beside: Buffer;
}

/** What a script gave of one call of SCAN. */
export interface PickedChunk {
  next: string;
  examined: number;
  picked: Picked[];
}

/** A script that scans: `args` begin with the pattern. */
export interface ScanScript {
  name: string;
  asks: readonly Ask[];
  args: readonly Arg[];
}

/** Cursor and count of each call, as scripts that scan take them: all in one argument. */
export const callsOf = (asks: readonly Ask[]): string =>
  asks.map(({ cursor, count }) => `${cursor} ${count}`).join(' ');

/** What a script gave of each call: the next cursor, and its keys as one string. */
export const givenOf = (asks: readonly Ask[], found: readonly Buffer[]): Given<Key>[] =>
  asks.map((_, i) => ({
    next: found[2 * i]!.toString('latin1'),
    items: unpackKeys(found[2 * i + 1]!),
  }));

const run = async <Reply>(
  handle: ConnectionHandle,
  redis: Redis,
  { name, asks, args }: ScanScript,
): Promise<Reply[]> => {
  const reply = (await runReadScript(redis, script(name), [], [callsOf(asks), ...args])) as unknown[];
  const [hits, misses, ...chunks] = reply as [number, number, ...Reply[]];
  handle.own.addScript(hits, misses);
  return chunks;
};

/**
 * One run of a script that scans and picks on the server. It gets each call's cursor and count, all in one argument,
 * before `args`; it replies `{ hits, misses, { next, examined, key, beside, … } … }`, a call each.
 */
export const runScanScript = async (
  handle: ConnectionHandle,
  redis: Redis,
  scan: ScanScript,
): Promise<PickedChunk[]> => {
  const chunks = await run<[Buffer, number, ...Buffer[]]>(handle, redis, scan);
  return chunks.map(([next, examined, ...found]) => {
    const picked: Picked[] = [];
    for (let i = 0; i < found.length; i += 2) picked.push({ key: found[i]!, beside: found[i + 1]! });
    return { next: next.toString('latin1'), examined, picked };
  });
};

/** One run of the script that only matches: each call's keys come as one string. `commands`: of SCAN, inside it. */
export const runMatchScript = async (
  handle: ConnectionHandle,
  redis: Redis,
  asks: readonly Ask[],
  patterns: readonly (string | Buffer)[],
): Promise<{ given: Given<Key>[]; commands: number }> => {
  const reply = await run<unknown>(handle, redis, { name: 'match-keys', asks, args: patterns });
  const [commands, ...found] = reply as [number, ...Buffer[]];
  return { given: givenOf(asks, found), commands };
};

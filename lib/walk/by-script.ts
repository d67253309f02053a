import 'server-only';
import { runScanScript } from '@/lib/redis/scan';
import type { ScanStep } from '@/lib/redis/scan-nodes';
import {
  type Asked,
  type Extent,
  LARGE_BYTES,
  noFacts,
  type ReadFacts,
  type Refusals,
  sampleEvery,
  selectFacts,
  UNREADABLE,
} from './facts';
import { PackedRows } from './packed-rows';

type Reply = [
  ...[commands: number, next: Buffer, covered: number, micros: number, vanished: number],
  ...[types: Buffer, encodings: Buffer, noMemory: Buffer, noIdle: Buffer, noOthers: Buffer, packed: Buffer],
];

/** Added to a type's index where encoding, length and idle time follow. */
const WITH_OTHERS = 256;

const namesOf = (joined: Buffer): string[] => ['', ...joined.toString('latin1').split(',')];
const known = (value: number): number | null => (value === -1 ? null : Math.abs(value));

/** Reads the rows of `walk-keys.lua`. The keys are views of the given bytes. */
const unpack = (packed: Buffer, types: string[], encodings: string[]) => {
  const facts = { ...noFacts(), large: [] as number[] };
  const rows = new PackedRows(packed);
  while (rows.hasMore) {
    facts.keys.push(rows.bytes());
    const place = rows.integer();
    const ttl = rows.integer();
    const bytes = rows.integer();
    const hasOthers = place >= WITH_OTHERS;
    facts.types.push(types[hasOthers ? place - WITH_OTHERS : place] || UNREADABLE.type);
    facts.ttls.push(ttl === -3 ? UNREADABLE.ttl : ttl);
    if (bytes < -1) facts.large.push(facts.memory.length);
    facts.memory.push(known(bytes));
    facts.encodings.push((hasOthers && encodings[rows.integer()]) || null);
    facts.lengths.push(hasOthers ? known(rows.integer()) : null);
    facts.idle.push(hasOthers ? known(rows.integer()) : null);
  }
  return facts;
};

const letterOf = (letter: string, extent: Extent): string =>
  extent === '' ? '' : extent === 'all' ? letter : letter.toUpperCase();

/**
 * The step of a walk with a read-only script, which ends by itself after `micros` of the server's time. On a server
 * without a clock the first call is small, and its round trip determines the number of keys of the next ones.
 */
export const factsByScript = (
  ask: () => Asked,
  refusals: Refusals,
  micros: () => number,
): ScanStep<() => ReadFacts> => {
  let hasClock = true;
  let read = 0;
  return async (redis, cursor, count, node, isAsking) => {
    const [asked, began, at] = [ask(), performance.now(), Date.now()];
    const idle = refusals.idle ? '' : letterOf('i', asked.idle);
    const others = letterOf('e', asked.encodings) + idle + letterOf('l', asked.lengths);
    const limit = hasClock ? micros() : '';
    const args = [cursor, count, limit, asked.memory, others, LARGE_BYTES, sampleEvery(read)];
    const reply = await runScanScript<Reply>(node, redis, 'walk-keys', args, isAsking);
    const [commands, next, covered, took, vanished, types, encodings, ...rest] = reply;
    const [noMemory, noIdle, noOthers, packed] = rest;
    const texts = { memory: noMemory, idle: noIdle, others: noOthers };
    for (const what of ['memory', 'idle', 'others'] as const)
      if (texts[what].length > 0) refusals.add(what, new Error(texts[what].toString('latin1')));
    read += covered;
    hasClock = took > 0 || packed.length + vanished === 0;
    const serverMs = hasClock ? took / 1000 : performance.now() - began;
    const value = () => ({ ...unpack(packed, namesOf(types), namesOf(encodings)), vanished, serverMs, at });
    return {
      value,
      select: (isWanted, isAgain) => () => selectFacts(value(), isWanted, isAgain),
      next: next.toString('latin1'),
      commands,
      keys: covered,
      ...(hasClock ? { serverMs } : {}),
    };
  };
};

import 'server-only';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { runScanScript, type ScanStep } from '@/lib/redis/scan';
import { type Asked, LARGE_BYTES, noFacts, type ReadFacts, type Refusals, UNREADABLE } from './facts';

type Reply = [
  ...[commands: number, next: Buffer, covered: number, micros: number, vanished: number],
  ...[types: Buffer, encodings: Buffer, noMemory: Buffer, noIdle: Buffer, noOthers: Buffer, packed: Buffer],
];

const HEAD = 21;
const HEAD_WITH_OTHERS = 38;

const namesOf = (joined: Buffer): string[] => ['', ...joined.toString('latin1').split(',')];
const known = (value: number): number | null => (value === -1 ? null : Math.abs(value));

/** Reads the rows of `walk-keys.lua`. The keys are views of the given bytes. */
const unpack = (packed: Buffer, types: string[], encodings: string[], hasOthers: boolean) => {
  const facts = { ...noFacts(), large: [] as number[] };
  const head = hasOthers ? HEAD_WITH_OTHERS : HEAD;
  for (let at = 0; at < packed.length; ) {
    const key = at + head;
    const end = key + packed.readUInt32LE(at);
    const ttl = packed.readDoubleLE(at + 5);
    facts.keys.push(packed.subarray(key, end));
    facts.types.push(types[packed[at + 4]!] || UNREADABLE.type);
    facts.ttls.push(ttl === -3 ? UNREADABLE.ttl : ttl);
    const bytes = packed.readDoubleLE(at + 13);
    if (bytes < -1) facts.large.push(facts.memory.length);
    facts.memory.push(known(bytes));
    facts.encodings.push((hasOthers && encodings[packed[at + 21]!]) || null);
    facts.lengths.push(hasOthers ? known(packed.readDoubleLE(at + 22)) : null);
    facts.idle.push(hasOthers ? known(packed.readDoubleLE(at + 30)) : null);
    at = end;
  }
  return facts;
};

/**
 * The step of a walk by a read-only script, which ends itself after `micros` of the server's time. On a server without a
 * clock its first call is a small one, and the round trips tell how many keys the next ones should have.
 */
export const factsByScript = (
  handle: ConnectionHandle,
  ask: () => Asked,
  refusals: Refusals,
  micros: () => number,
): ScanStep<ReadFacts> => {
  let hasClock = true;
  return async (redis, cursor, count) => {
    const [asked, began] = [ask(), performance.now()];
    const idle = asked.idle && !refusals.idle;
    const others = `${asked.encodings ? 'e' : ''}${idle ? 'i' : ''}${asked.lengths ? 'l' : ''}`;
    const args = [cursor, count, hasClock ? micros() : '', asked.memory, others, LARGE_BYTES];
    const reply = await runScanScript<Reply>(handle, redis, 'walk-keys', args);
    const [commands, next, covered, took, vanished, types, encodings, ...rest] = reply;
    const [noMemory, noIdle, noOthers, packed] = rest;
    const texts = { memory: noMemory, idle: noIdle, others: noOthers };
    for (const what of ['memory', 'idle', 'others'] as const)
      if (texts[what].length > 0) refusals.add(what, new Error(texts[what].toString('latin1')));
    const facts = unpack(packed, namesOf(types), namesOf(encodings), others !== '');
    hasClock = took > 0 || facts.keys.length + vanished === 0;
    const serverMs = hasClock ? took / 1000 : performance.now() - began;
    return {
      value: { ...facts, vanished, serverMs, at: Date.now() },
      ...{ next: next.toString('latin1'), commands, keys: covered },
      ...(hasClock ? { serverMs } : {}),
    };
  };
};

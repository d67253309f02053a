import 'server-only';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { runScanScript, type ScanStep } from '@/lib/redis/scan';
import { type Asked, noFacts, type ReadFacts, type Refusals, UNREADABLE } from './facts';

type Reply = [
  ...[scans: number, next: Buffer, covered: number, micros: number, vanished: number],
  ...[types: Buffer, encodings: Buffer, noMemory: Buffer, noIdle: Buffer, noOthers: Buffer, packed: Buffer],
];

const HEAD = 21;
const HEAD_WITH_OTHERS = 38;

const namesOf = (joined: Buffer): string[] => ['', ...joined.toString('latin1').split(',')];
const known = (value: number): number | null => (value === -1 ? null : value);

/** Reads the rows of `walk-keys.lua`. The keys are views of the given bytes. */
const unpack = (packed: Buffer, types: string[], encodings: string[], hasOthers: boolean) => {
  const facts = noFacts();
  const head = hasOthers ? HEAD_WITH_OTHERS : HEAD;
  for (let at = 0; at < packed.length; ) {
    const key = at + head;
    const end = key + packed.readUInt32LE(at);
    const ttl = packed.readDoubleLE(at + 5);
    facts.keys.push(packed.subarray(key, end));
    facts.types.push(types[packed[at + 4]!] || UNREADABLE.type);
    facts.ttls.push(ttl === -3 ? UNREADABLE.ttl : ttl);
    facts.memory.push(known(packed.readDoubleLE(at + 13)));
    facts.encodings.push((hasOthers && encodings[packed[at + 21]!]) || null);
    facts.lengths.push(hasOthers ? known(packed.readDoubleLE(at + 22)) : null);
    facts.idle.push(hasOthers ? known(packed.readDoubleLE(at + 30)) : null);
    at = end;
  }
  return facts;
};

/** The step of a walk by a read-only script, which ends itself after `micros` of the server's time. */
export const factsByScript =
  (
    handle: ConnectionHandle,
    ask: () => Asked,
    refusals: Refusals,
    micros: () => number,
  ): ScanStep<ReadFacts> =>
  async (redis, cursor, count) => {
    const asked = ask();
    const idle = asked.idle && !refusals.idle;
    const others = `${asked.encodings ? 'e' : ''}${idle ? 'i' : ''}${asked.lengths ? 'l' : ''}`;
    const args = [cursor, count, micros(), asked.memory, others];
    const reply = await runScanScript<Reply>(handle, redis, 'walk-keys', args);
    const [commands, next, covered, took, vanished, types, encodings, ...rest] = reply;
    const [noMemory, noIdle, noOthers, packed] = rest;
    const texts = { memory: noMemory, idle: noIdle, others: noOthers };
    for (const what of ['memory', 'idle', 'others'] as const)
      if (texts[what].length > 0) refusals.add(what, new Error(texts[what].toString('latin1')));
    const facts = unpack(packed, namesOf(types), namesOf(encodings), others !== '');
    return {
      value: { ...facts, vanished, serverMs: took / 1000, at: Date.now() },
      ...{ next: next.toString('latin1'), commands, covered, serverMs: took / 1000 },
    };
  };

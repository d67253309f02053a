import 'server-only';
import { type Key, lengthCommand, type ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { counted, type Raw, sendCounted, sendRedirected } from '@/lib/redis/counted';
import { isNotPermitted, isRefusal, isWrongType, unavailable } from '@/lib/redis/failure';
import type { ScanStep } from '@/lib/redis/scan-nodes';
import { isShared } from '@/lib/redis/shared-value';
import { byNode, CURSORS, type Node } from '@/lib/redis/topology';
import {
  type Asked,
  type Extent,
  type Facts,
  factsOf,
  LARGE_BYTES,
  type ReadFacts,
  type Refusals,
  sampleEvery,
  selectFacts,
  UNREADABLE,
} from './facts';

type Handler = (reply: unknown) => void;
type Fault = 'memory' | 'idle' | 'others';

/**
 * Commands of one round trip, each with a handler for its reply. A refused command has no reply and is recorded; a
 * server that could not answer (busy, lost) is a failure, otherwise its keys would pass for unreadable ones.
 */
class Batch {
  private readonly commands: ReadCommand[] = [];
  private readonly handlers: (readonly [Handler, Fault])[] = [];

  ask(command: ReadCommand, handler: Handler, fault: Fault = 'others'): void {
    this.commands.push(command);
    this.handlers.push([handler, fault]);
  }

  /** `within`: the node whose `own.track` surrounds this call. */
  async run(handle: ConnectionHandle, refusals: Refusals, within: Node | null = null): Promise<void> {
    const { config, topology, patternOf } = handle;
    const replies: Raw[] = [];
    const parts = { id: config.id, topology, patternOf };
    const groups = byNode(topology, this.commands, ([, key]) => key);
    const asked = [...groups].map(async ([node, places]) => {
      const batch = places.map((i) => this.commands[i]!);
      const answers =
        node === within
          ? await sendRedirected(parts, CURSORS, batch, await counted(parts, node, CURSORS, batch))
          : await sendCounted(parts, node, CURSORS, batch);
      for (const [at, i] of places.entries()) replies[i] = answers[at]!;
    });
    await Promise.all(asked);
    for (const [i, [error, reply]] of replies.entries()) {
      const [handler, fault] = this.handlers[i]!;
      // A key whose type has changed since is not the server's fault.
      if (!error) handler(Buffer.isBuffer(reply) ? reply.toString('latin1') : reply);
      else if (!isRefusal(error) && !isNotPermitted(error)) throw unavailable(config.id, error);
      else if (!isWrongType(error)) refusals.add(fault, error);
    }
  }
}

/** Memory and lengths of some keys of known type, in one round trip. Null where refused or where the key is gone. */
export const readSome = async (
  handle: ConnectionHandle,
  refusals: Refusals,
  facts: Pick<Facts, 'keys' | 'types' | 'memory' | 'lengths'>,
  places: { memory: readonly number[]; lengths: readonly number[] },
): Promise<void> => {
  const batch = new Batch();
  for (const i of places.memory)
    batch.ask(
      ['MEMORY USAGE', facts.keys[i]!],
      (bytes) => {
        facts.memory[i] = bytes as number | null;
      },
      'memory',
    );
  for (const i of places.lengths) askLength(batch, facts, i);
  await batch.run(handle, refusals);
};

const askLength = (batch: Batch, facts: Pick<Facts, 'keys' | 'types' | 'lengths'>, i: number): void => {
  const name = lengthCommand(facts.types[i]!);
  if (name)
    batch.ask([name, facts.keys[i]!], (length) => {
      facts.lengths[i] = length as number;
    });
};

/** Idle time of a string, seconds, above which it may be a shared integer's. As in `walk-keys.lua`. */
const MAYBE_SHARED = 60;

const readAll = async (
  handle: ConnectionHandle,
  keys: readonly Key[],
  asked: Asked,
  refusals: Refusals,
  every: number,
  node: Node,
): Promise<Facts> => {
  const isWanted = (extent: Extent, i: number) =>
    extent === 'all' || (extent === 'sample' && i % every === 0);
  const facts: Facts = {
    keys: [...keys],
    types: keys.map((): string => UNREADABLE.type),
    ttls: keys.map((): number => UNREADABLE.ttl),
    memory: keys.map(() => null),
    lengths: keys.map(() => null),
    encodings: keys.map(() => null),
    idle: keys.map(() => null),
  };
  const batch = new Batch();
  for (const [i, key] of keys.entries()) {
    const into =
      <N extends keyof Facts>(name: N) =>
      (reply: unknown) => {
        facts[name][i] = reply as never;
      };
    batch.ask(['TYPE', key], into('types'));
    batch.ask(['PTTL', key], into('ttls'));
    // Read first, because later commands reset it.
    if (isWanted(asked.idle, i) && !refusals.idle) batch.ask(['OBJECT IDLETIME', key], into('idle'), 'idle');
    if (isWanted(asked.encodings, i)) batch.ask(['OBJECT ENCODING', key], into('encodings'));
    if (asked.memory !== '') batch.ask(['MEMORY USAGE', key], into('memory'), 'memory');
  }
  await batch.run(handle, refusals, node);
  const counts = new Batch();
  for (const [i, key] of keys.entries())
    if (facts.types[i] === 'string' && (facts.idle[i] ?? 0) > MAYBE_SHARED)
      counts.ask(['OBJECT REFCOUNT', key], (count) => {
        if (isShared(count)) facts.idle[i] = null;
      });
  await counts.run(handle, refusals, node);
  if (asked.lengths !== '') {
    const lengths = new Batch();
    for (const i of keys.keys()) if (isWanted(asked.lengths, i)) askLength(lengths, facts, i);
    await lengths.run(handle, refusals, node);
  }
  return facts;
};

/** Number of elements that the memory of a large collection is estimated from: about 10 ms of the server's time. */
const MAX_SAMPLES = 50_000;

const askMemory = (
  batch: Batch,
  { keys, memory }: Pick<Facts, 'keys' | 'memory'>,
  i: number,
  samples: number,
) =>
  batch.ask(
    ['MEMORY USAGE', keys[i]!, 'SAMPLES', samples],
    (bytes) => {
      memory[i] = (bytes as number | null) ?? memory[i]!;
    },
    'memory',
  );

/** Replaces estimates by the exact memory. Returns the indexes of large collections, which keep their estimate. */
const measureExactly = async (
  handle: ConnectionHandle,
  refusals: Refusals,
  facts: Facts,
  node: Node,
): Promise<number[]> => {
  const batch = new Batch();
  const large: number[] = [];
  for (const [i, bytes] of facts.memory.entries()) {
    // For strings the estimate is exact.
    if (bytes === null || facts.types[i] === 'string') continue;
    if (bytes > LARGE_BYTES) large.push(i);
    else askMemory(batch, facts, i, 0);
  }
  await batch.run(handle, refusals, node);
  return large;
};

const COUNTED_BY_ELEMENT = new Set(['hash', 'set', 'zset']);

/**
 * Measures the memory of one large collection: exactly, unless it has very many elements. Once it is gone, its
 * estimate stays.
 */
export const measureLarge = async (
  handle: ConnectionHandle,
  refusals: Refusals,
  facts: Facts,
  i: number,
): Promise<void> => {
  const batch = new Batch();
  askMemory(batch, facts, i, MAX_SAMPLES);
  if (COUNTED_BY_ELEMENT.has(facts.types[i]!) && (facts.lengths[i] ?? Infinity) > MAX_SAMPLES)
    refusals.explain(`Memory of collections with over ${MAX_SAMPLES} elements is estimated from as many.`);
  await batch.run(handle, refusals);
};

/** Removes keys that were gone when they were read. */
const withoutVanished = (all: Facts): Facts =>
  factsOf(all, (_, i) => all.types[i] !== 'none' && all.ttls[i] !== -2);

/** Like `factsByScript`, for servers without read-only scripts, or where our user may not run them. */
export const factsByCommands = (
  handle: ConnectionHandle,
  ask: () => Asked,
  refusals: Refusals,
): ScanStep<() => ReadFacts> => {
  let read = 0;
  return async (redis, cursor, count, node) => {
    const began = performance.now();
    const [next, keys] = (await redis.callBuffer('SCAN', [cursor, 'COUNT', count])) as [Buffer, Key[]];
    const [asked, at] = [ask(), Date.now()];
    const facts = withoutVanished(await readAll(handle, keys, asked, refusals, sampleEvery(read), node));
    read += keys.length;
    const large = asked.memory === 'exact' ? await measureExactly(handle, refusals, facts, node) : [];
    const vanished = keys.length - facts.keys.length;
    const value = { ...facts, large, vanished, serverMs: performance.now() - began, at };
    return {
      value: () => value,
      select: (isWanted, isAgain) => () => selectFacts(value, isWanted, isAgain),
      next: next.toString('latin1'),
      examined: keys.length,
    };
  };
};

import 'server-only';
import type { Pipeline } from 'ioredis';
import { withDetail } from '@/lib/errors';
import { sendAsking } from './asking';
import { type Arg, type Expiry, type Key, wireArgs } from './commands';
import type { ConnectionHandle } from './connections';
import { exactExpiry } from './expiry';
import { changeFailureOf } from './failure';
import { patternsOf } from './read-script';
import { type CallOn, elsewhere, onNodeOf, redoRedirected } from './redirect';
import { runScript, script } from './scripts';
import { byNode, type Node, readyClient } from './topology';

/** The write commands available to changes; everything else is a script. */
export interface WriteCommands {
  UNLINK: { args: [Key, ...Key[]]; reply: number };
  SADD: { args: [Key, ...Arg[]]; reply: number };
  SREM: { args: [Key, ...Arg[]]; reply: number };
  HDEL: { args: [Key, ...Arg[]]; reply: number };
  HSET: { args: [Key, Arg, Arg]; reply: number };
  /** To a channel, which is not a key. Returns how many clients received it. */
  PUBLISH: { args: [Key, Arg]; reply: number };
  SPUBLISH: { args: [Key, Arg]; reply: number };
}

export type WriteName = keyof WriteCommands;
export type WriteCommand = { [N in WriteName]: readonly [N, ...WriteCommands[N]['args']] }[WriteName];

/** The outcome of a compare-and-set; `present` is the value found instead, null when the key does not exist. */
export type CompareAndSet =
  | { ok: true }
  | { ok: false; reason: 'changed' | 'wrong-type'; present: Buffer | null };

/** A key as it was read: the length of a string and its value or beginning. */
export interface Expected {
  type: string;
  length: number;
  bytes: Buffer;
}

/** One of several edits that are applied together, while `key` is as expected (null: absent). */
export interface Edit {
  key: Key;
  expected: Expected | null;
  /**
   * `renameFrom` is the index of the edit whose key is renamed to this one. `set` keeps the TTL unless it gives one.
   */
  change: { set: Buffer; ttlMs?: number | null | 'none' } | { renameFrom: number } | 'delete' | 'keep';
}

/**
 * Nothing was changed because one edit did not match; `present` is the type of its key, `none` when it does not exist.
 */
export type AppliedAll = { ok: true } | { ok: false; index: number; present: string };

const editArgs = ({ expected, change }: Edit): Arg[] => {
  const before: Arg[] = expected ? [expected.type, expected.length, expected.bytes] : ['none', 0, ''];
  if (typeof change === 'string') return [...before, change, '', ''];
  if ('renameFrom' in change) return [...before, 'rename', change.renameFrom + 1, ''];
  return [...before, 'set', change.set, change.ttlMs ?? ''];
};

/** Changes one Redis. Only `runCommand` and the job runner create one: a domain takes it from its context. */
export interface Writer {
  write<C extends WriteCommand>(command: C): Promise<WriteCommands[C[0]]['reply']>;
  /**
   * Many commands, a thousand per round trip. Stops at the first refusal, whose message contains how many were
   * executed.
   */
  writeMany(commands: readonly WriteCommand[]): Promise<number[]>;
  /** Sets a string if it is still `expected` (null: absent); `next` null deletes it. The TTL is kept. */
  compareAndSet(key: Key, expected: Buffer | null, next: Buffer | null): Promise<CompareAndSet>;
  /** Edits of several keys, all or none, in one step. The keys must be on one node. */
  applyAll(edits: readonly Edit[]): Promise<AppliedAll>;
  /** Runs a named script and removes its own lookup counts from the reply. */
  run(name: string, keys: readonly Key[], args: readonly Arg[]): Promise<unknown[]>;
  /** Deletes keys. Returns how many existed. */
  unlink(keys: readonly Key[]): Promise<number>;
  /** The expiry of a key that a script read: scripts round numbers beyond 2^53. */
  unrounded(key: Key, near: number): Promise<Expiry>;
  /** Groups items by the node of their key: each group fits into one script of `runNear`. */
  byNode<T>(items: readonly T[], keyOf: (item: T) => Key): T[][];
  /** Like `run`, on the node of `near`; the keys are arguments, because they may be in several slots. */
  runNear(script: NearScript, near: Key, args: readonly Arg[]): Promise<unknown[]>;
  /** Like `runNear` for keys of one slot (`inOneSlot`), on the slot's current node. */
  runAlone(script: NearScript, keys: Key | readonly Key[], args: readonly Arg[]): Promise<unknown[]>;
  /**
   * Closes the connection of one client, if it still has this id, address and type; never the writer's own. False
   * where no client matches.
   */
  killClient(node: Node, client: KilledClient): Promise<boolean>;
}

/** A client in the notation of CLIENT LIST: the address as bytes, the type as CLIENT KILL expects it. */
interface KilledClient {
  id: string;
  address: Buffer;
  type: 'normal' | 'pubsub';
}

const MAX_BATCH = 1000;

export const listOf = (keys: Key | readonly Key[]): readonly Key[] => (Buffer.isBuffer(keys) ? [keys] : keys);

const keysOf = (commands: readonly WriteCommand[]): Key[] => commands.map(([, key]) => key);

/** A script whose keys are arguments, because they may be in several slots of one node. */
export interface NearScript {
  name: string;
  /** How many calls of the script were not lookups: the server counts them as commands, too. */
  otherCalls(reply: readonly unknown[]): number;
}

/** `executed` is called with each node that executed a change after a redirection. */
export const makeWriter = (handle: ConnectionHandle, executed = (_node: Node): void => {}): Writer => {
  const { topology, config } = handle;
  const at = { id: config.id, topology };

  const itemsByNode: Writer['byNode'] = (items, keyOf) =>
    [...byNode(topology, items, keyOf).values()].map((places) => places.map((i) => items[i]!));

  const failed = (error: unknown, keys: readonly Key[]): Error =>
    changeFailureOf(config.id, error, patternsOf(handle, keys));

  const send = async (node: Node, commands: readonly WriteCommand[]): Promise<[Error | null, unknown][]> => {
    const redis = await readyClient(config.id, node, 'write');
    try {
      const pipeline = redis.pipeline() as Pipeline;
      for (const command of commands)
        pipeline.callBuffer(...wireArgs(command as readonly [string, ...Arg[]]));
      const replies = (await pipeline.exec()) as [Error | null, unknown][];
      node.own.commands += commands.length;
      await redoRedirected(replies, (at, answer) => redirected(commands[at]!, answer));
      return replies;
    } catch (error) {
      throw failed(error, keysOf(commands));
    }
  };

  const redirected = async (command: WriteCommand, answer: Error): Promise<[Error | null, unknown]> => {
    const call: CallOn<unknown> = async (node, redis, isAsking) => {
      const reply = await sendAsking(redis, isAsking, ...wireArgs(command as readonly [string, ...Arg[]]));
      node.own.commands += 1;
      executed(node);
      return reply;
    };
    return elsewhere(at, 'write', command[1], answer, call).then(
      (reply) => [null, reply],
      (error: Error) => [error, null],
    );
  };

  const writeMany = async (commands: readonly WriteCommand[]): Promise<number[]> => {
    const out: number[] = new Array(commands.length);
    let made = 0;
    for (const group of itemsByNode([...commands.entries()], ([, command]) => command[1])) {
      for (let from = 0; from < group.length; from += MAX_BATCH) {
        const slice = group.slice(from, from + MAX_BATCH);
        const node = topology.nodeOf(slice[0]![1][1]);
        const replies = await send(
          node,
          slice.map(([, command]) => command),
        );
        slice.forEach(([index], i) => {
          out[index] = replies[i]![1] as number;
        });
        made += replies.filter(([error]) => !error).length;
        const refused = replies.findIndex(([error]) => error);
        if (refused < 0) continue;
        const failure = failed(replies[refused]![0], [slice[refused]![1][1]]);
        throw made > 0
          ? withDetail(failure, `Changed before the failure: ${made} of ${commands.length}.`)
          : failure;
      }
    }
    return out;
  };

  /** Runs a script on the node of `near`; for declared keys that have moved, on their new node. */
  const runCounted = async (
    { name, otherCalls }: NearScript,
    near: Key,
    keys: readonly Key[],
    args: readonly Arg[],
  ): Promise<unknown[]> => {
    const wanted = script(name);
    const first = topology.nodeOf(near);
    const call: CallOn<unknown[]> = (node, redis, isAsking) =>
      node.own.track(async () => {
        const reply = node.own.addScript(redis, await runScript(redis, wanted, keys, args, isAsking));
        node.own.commands += otherCalls(reply);
        if (node !== first) executed(node);
        return reply;
      });
    try {
      return await onNodeOf(at, 'write', near, call);
    } catch (error) {
      throw failed(error, keys);
    }
  };

  const run: Writer['run'] = (name, keys, args) =>
    runCounted({ name, otherCalls: () => 0 }, keys[0]!, keys, args);

  const unlinkTogether = async (node: Node, keys: readonly Key[]): Promise<number> => {
    const redis = await readyClient(config.id, node, 'write');
    try {
      const deleted = await redis.callBuffer('UNLINK', [...keys]);
      node.own.commands += 1;
      return deleted as number;
    } catch (error) {
      throw failed(error, keys);
    }
  };

  const unlink: Writer['unlink'] = async (keys) => {
    if (keys.length === 0) return 0;
    const node = topology.nodeOf(keys[0]!);
    if (topology.kind !== 'cluster') return node.own.track(() => unlinkTogether(node, keys));
    // In a cluster a single command cannot take keys of several slots.
    const replies = await writeMany(keys.map((key) => ['UNLINK', key]));
    return replies.reduce((sum, deleted) => sum + deleted, 0);
  };

  const killClient: Writer['killClient'] = async (node, { id, address, type }) => {
    const redis = await readyClient(config.id, node, 'write');
    try {
      const filters = ['KILL', 'ID', id, 'ADDR', address, 'TYPE', type, 'SKIPME', 'yes'];
      const killed = await redis.callBuffer('CLIENT', filters);
      node.own.commands += 1;
      return Number(killed) > 0;
    } catch (error) {
      throw failed(error, []);
    }
  };

  return {
    write: async (command) => (await writeMany([command]))[0] as never,
    writeMany,
    run,
    runNear: (wanted, near, args) => runCounted(wanted, near, [], args),
    runAlone: (wanted, keys, args) => {
      const declared = listOf(keys);
      return runCounted(wanted, declared[0]!, declared, args);
    },
    unrounded: async (key, near) => (Number.isSafeInteger(near) ? near : exactExpiry(handle, key, near)),
    byNode: itemsByNode,
    unlink,
    killClient,
    applyAll: async (edits) => {
      if (edits.length === 0) return { ok: true };
      const [state, index, present] = await run(
        'apply-all',
        edits.map(({ key }) => key),
        edits.flatMap(editArgs),
      );
      if (state === 1) return { ok: true };
      return { ok: false, index: (index as number) - 1, present: String(present) };
    },
    compareAndSet: async (key, expected, next) => {
      const flags = `${expected === null ? 0 : 1}${next === null ? 0 : 1}`;
      const [state, present] = await run('compare-and-set', [key], [flags, expected ?? '', next ?? '']);
      if (state === 1) return { ok: true };
      return {
        ok: false,
        reason: state === 0 ? 'changed' : 'wrong-type',
        present: (present as Buffer | null) ?? null,
      };
    },
  };
};

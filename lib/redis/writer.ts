import 'server-only';
import type { Pipeline } from 'ioredis';
import { type Arg, type Key, wireArgs } from './commands';
import type { ConnectionHandle } from './connections';
import { isRefusal, unavailable } from './failure';
import { runScript, script } from './scripts';
import { type Node, readyClient } from './topology';

/** The write commands a change may use; every other one goes through a script. */
export interface WriteCommands {
  UNLINK: { args: [Key]; reply: number };
  SADD: { args: [Key, ...Arg[]]; reply: number };
  SREM: { args: [Key, ...Arg[]]; reply: number };
  HDEL: { args: [Key, ...Arg[]]; reply: number };
  HSET: { args: [Key, Arg, Arg]; reply: number };
}

export type WriteName = keyof WriteCommands;
export type WriteCommand = { [N in WriteName]: readonly [N, ...WriteCommands[N]['args']] }[WriteName];

/** The outcome of a compare-and-set; `present` is the value that stood in the way, null when the key is gone. */
export type CompareAndSet =
  | { ok: true }
  | { ok: false; reason: 'changed' | 'wrong-type'; present: Buffer | null };

/**
 * Changes one Redis. Only `runCommand` and the job runner hand one out (architecture.md): a domain takes it
 * from its context.
 */
export interface Writer {
  write<C extends WriteCommand>(command: C): Promise<WriteCommands[C[0]]['reply']>;
  /** Many commands in one round trip per node. The first refusal is thrown after all were tried. */
  writeMany(commands: readonly WriteCommand[]): Promise<number[]>;
  /** Sets a string if it is still `expected` (null: absent); `next` null deletes it. The TTL is kept. */
  compareAndSet(key: Key, expected: Buffer | null, next: Buffer | null): Promise<CompareAndSet>;
  /** Runs a named script; its first two results are its own keyspace hits and misses. */
  run(name: string, keys: readonly Key[], args: readonly Arg[]): Promise<unknown[]>;
}

export const makeWriter = (handle: ConnectionHandle): Writer => {
  const { topology, own, config } = handle;

  const failed = (error: unknown): Error =>
    isRefusal(error) ? (error as Error) : unavailable(config.id, error);

  const batch = async (node: Node, commands: readonly WriteCommand[]): Promise<number[]> => {
    const redis = await readyClient(config.id, node, 'write');
    let replies: [Error | null, unknown][];
    try {
      const pipeline = redis.pipeline() as Pipeline;
      for (const command of commands)
        pipeline.callBuffer(...wireArgs(command as readonly [string, ...Arg[]]));
      replies = (await pipeline.exec()) as [Error | null, unknown][];
    } catch (error) {
      throw failed(error);
    }
    own.commands += commands.length;
    const refusal = replies.find(([error]) => error)?.[0];
    if (refusal) throw failed(refusal);
    return replies.map(([, reply]) => reply as number);
  };

  const writeMany = async (commands: readonly WriteCommand[]): Promise<number[]> => {
    const out: number[] = new Array(commands.length);
    const groups = new Map<Node, number[]>();
    commands.forEach((command, index) => {
      const node = topology.nodeOf(command[1]);
      groups.set(node, [...(groups.get(node) ?? []), index]);
    });
    for (const [node, indexes] of groups) {
      const replies = await batch(
        node,
        indexes.map((index) => commands[index]!),
      );
      indexes.forEach((index, i) => {
        out[index] = replies[i]!;
      });
    }
    return out;
  };

  const runCounted = async (name: string, keys: readonly Key[], args: readonly Arg[]): Promise<unknown[]> => {
    const redis = await readyClient(config.id, topology.nodeOf(keys[0]!), 'write');
    const wanted = script(name);
    try {
      const reply = (await runScript(redis, wanted, keys, args)) as [number, number, ...unknown[]];
      own.addScript(reply[0], reply[1]);
      return reply.slice(2);
    } catch (error) {
      throw failed(error);
    }
  };

  const run: Writer['run'] = (name, keys, args) => own.during(() => runCounted(name, keys, args));

  return {
    write: async (command) => (await writeMany([command]))[0] as never,
    writeMany,
    run,
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

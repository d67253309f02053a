import 'server-only';
import type { Arguments } from './command-table';
import type { Key } from './commands';
import type { ConnectionHandle } from './connections';
import { failureOf, isRefusal } from './failure';
import { lookupsOf } from './lookups';
import type { ParsedCall } from './parsed-call';
import { patternsOf } from './read-script';
import { readyClient } from './topology';

const MAX_WORD = 64;

const wordsOf = (args: readonly Buffer[]): Arguments => ({
  count: args.length,
  word: (index) => {
    const arg = args[index];
    return arg && arg.length <= MAX_WORD ? arg.toString('latin1').toLowerCase() : '';
  },
});

/** The keys that a call looks up for reading, one for each look-up. */
export const keysLookedUp = ({ spec, args }: ParsedCall): Key[] =>
  spec ? lookupsOf(spec, wordsOf(args)).keys.flatMap((at) => args[at] ?? []) : [];

/**
 * Sends a read that a user typed, after the command line judged it, and counts its hits and misses as the console's own
 * traffic: which of them it was, an EXISTS of each key tells. Throws the server's refusal, or a 503 `Problem`.
 */
export const sendRead = (handle: ConnectionHandle, call: ParsedCall): Promise<unknown> =>
  handle.own.track(async () => {
    const { config, topology, own } = handle;
    const [name, ...args] = call.args as [Buffer, ...Buffer[]];
    const looked = keysLookedUp(call);
    const [first] = looked;
    const node = first ? topology.nodeOf(first) : topology.primaries()[0]!;
    const redis = await readyClient(config.id, node, 'read');
    const isOfObject = call.spec?.name.startsWith('object') ?? false;
    const count = async (): Promise<void> => {
      own.commands += 1 + looked.length;
      if (looked.length === 0) return;
      const pipeline = redis.pipeline();
      for (const key of looked) pipeline.exists(key);
      for (const [i, [, exists]] of ((await pipeline.exec()) ?? []).entries()) {
        const key = looked[i]!;
        if (exists === 1) own.add(2, 0);
        // A miss of OBJECT is the only one without a keymiss event.
        else if (isOfObject) {
          own.add(0, 1);
          own.addMiss(redis, key);
        } else own.addMiss(redis, key, 2);
      }
    };
    try {
      const reply = await redis.callBuffer(name.toString('latin1'), args);
      await count();
      return reply;
    } catch (error) {
      // WRONGTYPE comes after the look-up; other refusals come before, or after it, which nobody can tell.
      if (isRefusal(error) && error instanceof Error && error.message.startsWith('WRONGTYPE')) await count();
      throw failureOf(config.id, error, patternsOf(handle, looked));
    }
  });

import 'server-only';
import type { Redis } from 'ioredis';
import type { Key } from './commands';
import type { ConnectionHandle } from './connections';
import { failureOf, isWrongType } from './failure';
import { lookupsOf } from './lookups';
import { argumentsOf, type ParsedCall } from './parsed-call';
import { patternsOf, runReadScript, runsReadScripts } from './read-script';
import { script } from './scripts';
import { readyClient } from './topology';

/** The keys that a call looks up for reading, one for each look-up. */
export const keysLookedUp = ({ spec, args }: ParsedCall): Key[] =>
  spec ? lookupsOf(spec, argumentsOf(args)).keys.flatMap((at) => args[at] ?? []) : [];

const readerOf = ({ config, topology }: ConnectionHandle, [first]: readonly Key[]): Promise<Redis> =>
  readyClient(config.id, first ? topology.nodeOf(first) : topology.primaries()[0]!, 'read');

/** Whether the server measures the reply of a read before it is sent. */
export const measuresReads = async (handle: ConnectionHandle, call: ParsedCall): Promise<boolean> =>
  runsReadScripts(await readerOf(handle, keysLookedUp(call)));

const [TOO_LONG, REFUSED] = [0, 2];

export interface SentRead {
  reply: unknown;
  /** It was left on the server. */
  isTooLong: boolean;
}

/**
 * Sends a read that a user typed, after the command line judged it, and counts its hits and misses as the console's own
 * traffic: which of them it was, an EXISTS of each key tells. `maxBytes`: a longer reply stays on the server, where that
 * measures reads. Throws the server's refusal, or a 503 `Problem`.
 */
export const sendRead = (
  handle: ConnectionHandle,
  call: ParsedCall,
  maxBytes: number | null = null,
): Promise<SentRead> =>
  handle.own.track(async () => {
    const { config, own } = handle;
    const looked = keysLookedUp(call);
    const redis = await readerOf(handle, looked);
    // Lower-case names have transformers in the client, which change replies.
    const name = call.args[0]!.toString('latin1').toUpperCase();
    const args = call.args.slice(1);
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
    const send = async (): Promise<SentRead> => {
      if (maxBytes === null || !(await runsReadScripts(redis)))
        return { reply: await redis.callBuffer(name, args), isTooLong: false };
      const sent = await runReadScript(redis, script('measured-read'), looked, [maxBytes, name, ...args]);
      const [state, reply] = own.addScript(redis, sent);
      if (state === REFUSED) throw Object.assign(new Error(String(reply)), { command: { name, args: [] } });
      return { reply, isTooLong: state === TOO_LONG };
    };
    try {
      const sent = await send();
      await count();
      return sent;
    } catch (error) {
      // WRONGTYPE comes after the look-up; whether others come before or after it is unknown.
      if (isWrongType(error)) await count();
      throw failureOf(config.id, error, patternsOf(handle, looked));
    }
  });

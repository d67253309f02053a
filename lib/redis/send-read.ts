import 'server-only';
import type { Redis } from 'ioredis';
import { sendAsking } from './asking';
import type { Purpose } from './client';
import type { Key } from './commands';
import type { ConnectionHandle } from './connections';
import { failureOf, isWrongType } from './failure';
import { lookupsOf } from './lookups';
import { argumentsOf, type ParsedCall } from './parsed-call';
import { patternsOf, runReadScript, runsReadScripts } from './read-script';
import { type CallOn, onNodeOf } from './redirect';
import { script } from './scripts';
import { type Node, readyClient } from './topology';

/** The keys that a call looks up for reading, one entry per look-up. */
export const keysLookedUp = ({ spec, args }: ParsedCall): Key[] =>
  spec ? lookupsOf(spec, argumentsOf(args)).keys.flatMap((at) => args[at] ?? []) : [];

/** Makes a call on the node of the first key; without a key on any node. */
const onNode = <T>(
  { config: { id }, topology }: ConnectionHandle,
  [first]: readonly Key[],
  call: CallOn<T>,
  purpose: Purpose = 'read',
): Promise<T> => {
  if (first) return onNodeOf({ id, topology }, purpose, first, call);
  const node = topology.primaries()[0]!;
  return readyClient(id, node, purpose).then((redis) => call(node, redis, false));
};

/** Whether a reply contains an integer that Lua and the client for reads would round. */
const isRounded = (reply: unknown): boolean =>
  Array.isArray(reply) ? reply.some(isRounded) : typeof reply === 'number' && !Number.isSafeInteger(reply);

/** Whether the server measures the reply of a read before sending it. */
export const measuresReads = (handle: ConnectionHandle, call: ParsedCall): Promise<boolean> =>
  onNode(handle, keysLookedUp(call), (_node, redis) => runsReadScripts(redis));

const [TOO_LONG, REFUSED] = [0, 2];

export interface SentRead {
  reply: unknown;
  /** Whether the reply stayed on the server, because it is too long. */
  isTooLong: boolean;
}

/**
 * Sends a read that a user typed, after the command line has checked it, and counts its hits and misses as the
 * console's own traffic, using an EXISTS per key. `maxBytes`: a longer reply stays on the server, where that measures
 * reads. Integers beyond 2^53 are text. Throws the server's refusal, or a 503 `Problem`.
 */
export const sendRead = async (
  handle: ConnectionHandle,
  call: ParsedCall,
  maxBytes: number | null = null,
): Promise<SentRead> => {
  const looked = keysLookedUp(call);
  // For lower-case names the client has transformers, which change replies.
  const name = call.args[0]!.toString('latin1').toUpperCase();
  const args = call.args.slice(1);
  const isOfObject = call.spec?.name.startsWith('object') ?? false;
  const count = async ({ own }: Node, redis: Redis, isAsking: boolean): Promise<void> => {
    own.commands += 1 + looked.length;
    const replies = await Promise.all(looked.map((key) => sendAsking(redis, isAsking, 'EXISTS', [key])));
    for (const [i, exists] of replies.entries()) {
      const key = looked[i]!;
      if (Number(exists) === 1) own.add(2, 0);
      // OBJECT is the only command whose misses publish no keymiss event.
      else if (isOfObject) {
        own.add(0, 1);
        own.addMiss(redis, key);
      } else own.addMiss(redis, key, 2);
    }
  };
  const sendPlain: CallOn<SentRead> = async (_node, redis, isAsking) => ({
    reply: await sendAsking(redis, isAsking, name, args),
    isTooLong: false,
  });
  const sendMeasured: CallOn<SentRead> = async (node, redis, isAsking) => {
    if (maxBytes === null || !(await runsReadScripts(redis))) return sendPlain(node, redis, isAsking);
    const measured = script('measured-read');
    const sent = await runReadScript(redis, measured, looked, [maxBytes, name, ...args], isAsking);
    const [state, reply] = node.own.addScript(redis, sent);
    if (state === REFUSED) throw Object.assign(new Error(String(reply)), { command: { name, args: [] } });
    return { reply, isTooLong: state === TOO_LONG };
  };
  const counting =
    (send: CallOn<SentRead>): CallOn<SentRead> =>
    (node, redis, isAsking) =>
      node.own.track(async () => {
        try {
          const sent = await send(node, redis, isAsking);
          await count(node, redis, isAsking);
          return sent;
        } catch (error) {
          // WRONGTYPE comes after the look-up; for other refusals that is unknown.
          if (isWrongType(error)) await count(node, redis, isAsking);
          throw error;
        }
      });
  try {
    const sent = await onNode(handle, looked, counting(sendMeasured));
    return isRounded(sent.reply) ? await onNode(handle, looked, counting(sendPlain), 'exact') : sent;
  } catch (error) {
    throw failureOf(handle.config.id, error, patternsOf(handle, looked));
  }
};

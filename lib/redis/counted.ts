import 'server-only';
import type { Pipeline, Redis } from 'ioredis';
import { sendAsking } from './asking';
import type { Purpose } from './client';
import { type Arg, decodeReply, EFFECTS, type Key, type ReadCommand, wireArgs } from './commands';
import { isRedirection, isRefusal, isWrongType, unavailable } from './failure';
import { type CallOn, elsewhere, redoRedirected } from './redirect';
import { type Node, readyClient, type Topology } from './topology';

export interface ReaderParts {
  id: string;
  topology: Topology;
  /** The pattern of the key's family, null where unknown. Key names may contain secrets. */
  patternOf(key: Key): string | null;
}

export type Raw = [Error | null, unknown];

const execute = async (
  parts: ReaderParts,
  node: Node,
  purpose: Purpose,
  batch: readonly ReadCommand[],
): Promise<Raw[]> => {
  const redis = await readyClient(parts.id, node, purpose);
  try {
    const pipeline = redis.pipeline() as Pipeline;
    for (const command of batch) {
      const [name, args] = wireArgs(command as readonly [string, ...Arg[]]);
      pipeline.callBuffer(name, args);
    }
    const replies = (await pipeline.exec()) as Raw[];
    node.own.commands += batch.length;
    return replies;
  } catch (error) {
    throw unavailable(parts.id, error);
  }
};

const existsAsking = async (node: Node, redis: Redis, key: Key): Promise<Raw> => {
  const exists = await sendAsking(redis, true, 'EXISTS', [key]);
  node.own.commands += 1;
  return [null, exists];
};

/** XINFO and XPENDING look up the key before they refuse. */
const OF_STREAMS = /^(ERR no such key|NOGROUP)/;

/** Counts the hits and misses of a batch. Where the reply does not tell them apart, it checks whether the key exists. */
const account = async (
  parts: ReaderParts,
  node: Node,
  purpose: Purpose,
  batch: readonly ReadCommand[],
  replies: Raw[],
  isAsking = false,
): Promise<void> => {
  const unsure: Key[] = [];
  const { redis } = node.client(purpose);
  replies.forEach(([error, reply], index) => {
    const command = batch[index]!;
    const isOfObject = command[0].startsWith('OBJECT');
    if (error) {
      // OBJECT looks up the key before it refuses because of the policy.
      if (isWrongType(error) || (isOfObject && isRefusal(error))) node.own.add(1, 0);
      else if (OF_STREAMS.test(error.message)) unsure.push(command[1]);
      return;
    }
    const effect = EFFECTS[command[0]](decodeReply(command[0], reply));
    if (effect === 'hit') node.own.add(1, 0);
    // OBJECT is the only command whose misses publish no keymiss event.
    else if (effect === 'miss' && isOfObject) node.own.add(0, 1);
    else if (effect === 'miss') node.own.addMiss(redis, command[1]);
    else if (effect === 'unknown') unsure.push(command[1]);
  });
  if (unsure.length === 0) return;
  const checks = isAsking
    ? await Promise.all(unsure.map((key) => existsAsking(node, redis, key)))
    : await execute(
        parts,
        node,
        purpose,
        unsure.map((key) => ['EXISTS', key] as const),
      );
  checks.forEach(([, exists], index) => {
    if (exists === 1) node.own.add(2, 0);
    else if (exists === 0) node.own.addMiss(redis, unsure[index]!, 2);
  });
};

/** A command that a cluster node redirected, sent to the node that has its key. */
const redirected = async (
  parts: ReaderParts,
  purpose: Purpose,
  command: ReadCommand,
  answer: Error,
): Promise<Raw> => {
  const call: CallOn<Raw> = (node, redis, isAsking) =>
    node.own.track(async () => {
      const [name, args] = wireArgs(command as readonly [string, ...Arg[]]);
      const raw = await sendAsking(redis, isAsking, name, args).then(
        (reply): Raw => [null, reply],
        (error: Error): Raw => [error, null],
      );
      if (isRedirection(raw[0])) throw raw[0];
      node.own.commands += 1;
      await account(parts, node, purpose, [command], [raw], isAsking);
      return raw;
    });
  try {
    return await elsewhere(parts, purpose, command[1], answer, call);
  } catch (error) {
    return [error as Error, null];
  }
};

/** Sends a batch to the node of its keys. Redirected commands are sent again, each by itself. */
export const sendCounted = async (
  parts: ReaderParts,
  node: Node,
  purpose: Purpose,
  batch: readonly ReadCommand[],
): Promise<Raw[]> => {
  const replies = await node.own.track(() => counted(parts, node, purpose, batch));
  return sendRedirected(parts, purpose, batch, replies);
};

/** Sends the redirected commands of a batch again, each by itself. Not within `own.track` of their nodes. */
export const sendRedirected = async (
  parts: ReaderParts,
  purpose: Purpose,
  batch: readonly ReadCommand[],
  replies: Raw[],
): Promise<Raw[]> => {
  await redoRedirected(replies, (at, answer) => redirected(parts, purpose, batch[at]!, answer));
  return replies;
};

/** Sends a batch and counts its hits and misses as our own traffic. Within `own.track`. */
export const counted = async (
  parts: ReaderParts,
  node: Node,
  purpose: Purpose,
  batch: readonly ReadCommand[],
): Promise<Raw[]> => {
  const replies = await execute(parts, node, purpose, batch);
  await account(parts, node, purpose, batch, replies);
  return replies;
};

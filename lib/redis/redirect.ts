import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { Problem } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';
import type { Purpose } from './client';
import type { Key } from './commands';
import { isRedirection, redirectionIn } from './failure';
import { type Node, readyClient, type Topology } from './topology';

/** Limit of redirections of one command: each means that the slot moved once more. */
const MAX_HOPS = 16;
/** Used while the keys of a slot are being moved, or the cluster elects a primary. */
const RETRY_MS = 50;
const MAX_WAIT_MS = 3000;
/** After this time, a cluster that was down may be down for another reason. */
const FORGOTTEN_MS = 10_000;

/** The parts of a connection that redirections need. */
export interface Redirecting {
  id: string;
  topology: Topology;
}

/** Makes a call on a node; `isAsking`: as the first command after ASKING. */
export type CallOn<T> = (node: Node, redis: Redis, isAsking: boolean) => Promise<T>;

/** Clusters that are down: since when, and when a node last reported it. */
const down = processWide('clusters down', () => new WeakMap<Topology, { since: number; heardAt: number }>());

/** Until when to wait for a cluster that reports being down: three seconds from its first report. */
const downUntil = (topology: Topology): number => {
  const now = performance.now();
  const known = down().get(topology);
  const since = known && now - known.heardAt < FORGOTTEN_MS ? known.since : now;
  down().set(topology, { since, heardAt: now });
  return since + MAX_WAIT_MS;
};

/**
 * Repeats a call after a node answered that another node has the key: on the node it named, then on the one that
 * names, one call at a time. Gives up after three seconds or sixteen nodes and throws the last answer. A page does not
 * wait for a cluster that has been down for three seconds already.
 */
export const elsewhere = async <T>(
  { id, topology }: Redirecting,
  purpose: Purpose,
  key: Key,
  answer: unknown,
  call: CallOn<T>,
): Promise<T> => {
  let until = performance.now() + MAX_WAIT_MS;
  let last = answer;
  for (let hops = 0; hops < MAX_HOPS; ) {
    const { kind, address } = redirectionIn(last)!;
    if (kind === 'CLUSTERDOWN' && purpose === 'read') until = Math.min(until, downUntil(topology));
    if (performance.now() >= until) break;
    if (address === null) await sleep(RETRY_MS);
    const named = await topology.redirected(address === null ? null : { address });
    if (named) hops += 1;
    const node = named ?? topology.nodeOf(key);
    const redis = await readyClient(id, node, purpose);
    try {
      return await call(node, redis, kind === 'ASK' && named !== null);
    } catch (error) {
      if (!isRedirection(error)) throw error;
      last = error;
    }
  }
  throw last;
};

/**
 * Sends the redirected commands of a batch again, each by itself: a redirection means that nothing was executed. Stops
 * at the first that no node serves, because the others would wait just as long.
 */
export const redoRedirected = async (
  replies: [Error | null, unknown][],
  redo: (at: number, answer: Error) => Promise<[Error | null, unknown]>,
): Promise<void> => {
  for (const [at, [error]] of replies.entries()) {
    if (!error || !isRedirection(error)) continue;
    const [after, reply] = await redo(at, error);
    replies[at] = [after, reply];
    if (after && (after instanceof Problem || isRedirection(after))) return;
  }
};

/** Makes a call on the node of a key; if redirected, on the node that has it. */
export const onNodeOf = async <T>(
  parts: Redirecting,
  purpose: Purpose,
  key: Key,
  call: CallOn<T>,
): Promise<T> => {
  const node = parts.topology.nodeOf(key);
  const redis = await readyClient(parts.id, node, purpose);
  try {
    return await call(node, redis, false);
  } catch (error) {
    if (!isRedirection(error)) throw error;
    return elsewhere(parts, purpose, key, error, call);
  }
};

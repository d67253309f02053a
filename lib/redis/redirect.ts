import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { Problem } from '@/lib/errors';
import { processWide } from '@/lib/process-wide';
import type { Purpose } from './client';
import type { Key } from './commands';
import { isRedirection, redirectionIn } from './failure';
import { type Node, readyClient, type Topology } from './topology';

/** Redirections of one command: each is a slot that moved once more. */
const MAX_HOPS = 16;
/** While the keys of a slot are being moved, or the cluster chooses a primary. */
const RETRY_MS = 50;
const MAX_WAIT_MS = 3000;
/** A cluster that was down so long ago may be down for another reason. */
const FORGOTTEN_MS = 10_000;

/** A connection, as far as redirections need it. */
export interface Redirecting {
  id: string;
  topology: Topology;
}

/** Makes a call on a node; `isAsking`: as the first command after ASKING. */
export type CallOn<T> = (node: Node, redis: Redis, isAsking: boolean) => Promise<T>;

/** Clusters that are down: since when, and when that was last heard of one of their nodes. */
const down = processWide('clusters down', () => new WeakMap<Topology, { since: number; heardAt: number }>());

/** When a cluster that is just heard to be down has been so for three seconds. */
const downUntil = (topology: Topology): number => {
  const now = performance.now();
  const known = down().get(topology);
  const since = known && now - known.heardAt < FORGOTTEN_MS ? known.since : now;
  down().set(topology, { since, heardAt: now });
  return since + MAX_WAIT_MS;
};

/**
 * Makes a call once more, after a node answered that the key is elsewhere: on the node that it named, and on whatever that
 * one names, one call at a time. Gives up after three seconds, or sixteen nodes, and throws the last answer. A page does not
 * wait again for a cluster that has been down for three seconds.
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
 * Sends those of a batch again that were redirected, each by itself: a redirection says that nothing was executed. Stops at
 * the first that no node serves, because the others would only wait as long.
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

/** Makes a call on the node of a key, and where it answers that the key is elsewhere, there. */
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

import 'server-only';
import { monitorUse, withMonitorLease } from '@/lib/calls/monitor-lease';
import { Problem } from '@/lib/errors';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { describeFailure, failureOf, isNotPermitted, isRefusal } from '@/lib/redis/failure';
import type { Store } from '@/lib/redis/store';
import { type Node, readyClient } from '@/lib/redis/topology';
import { openFencedWindow, readConsoleAddresses, WindowFailed, type WindowOptions } from '@/lib/redis/window';
import { withFlags } from './flags';
import { joinServers } from './join-windows';
import type { Consent } from './state';
import { WindowCounter, type WindowCounts } from './window-counts';

export interface WindowTaker {
  handle: ConnectionHandle;
  store: Store;
  catalog: Registry;
  consent: Consent | null;
}

/** The error that users read. A refusal names its command, because the server's own text contains our user name. */
const toProblem = (connection: string, error: unknown): unknown => {
  if (error instanceof WindowFailed)
    return new Problem('conflict', `No window could be taken: ${error.message}`);
  if (!(error instanceof Error) || error instanceof Problem) return error;
  if (isNotPermitted(error))
    return new Problem('conflict', `The server does not permit a window: ${describeFailure(error)}.`);
  if (isRefusal(error))
    return new Problem('conflict', `The server refuses a window: ${error.message.slice(0, 200)}`);
  return failureOf(connection, error);
};

const windowOnNode = async (
  taker: WindowTaker,
  node: Node,
  options: Omit<WindowOptions, 'maxAddedLatencyMs'>,
): Promise<WindowCounts> => {
  const { handle, catalog } = taker;
  const redis = await readyClient(handle.config.id, node, 'read');
  const count = new WindowCounter(catalog, redis.options.db ?? 0, await readConsoleAddresses(node, redis));
  node.own.missed.add(count.ownMiss);
  try {
    const { maxAddedLatencyMs } = handle.config.scan;
    const window = await openFencedWindow(node, count, { ...options, maxAddedLatencyMs });
    return count.finish(window);
  } finally {
    node.own.missed.delete(count.ownMiss);
  }
};

export const OPEN_ALREADY = 'A window is open on this server already.';
const PROFILED = 'A profile of this server reads MONITOR already.';

/**
 * Opens one window on every primary at the same time, with the needed flags while it is open. Throws a `Problem` with
 * the reason otherwise: 409 when the server refuses, consent is missing or another window is open.
 */
export const takeWindow = async (
  taker: WindowTaker,
  options: Omit<WindowOptions, 'maxAddedLatencyMs'>,
): Promise<WindowCounts> => {
  const { handle, store } = taker;
  try {
    const taken = await withMonitorLease(store, handle, options.ms, async () => {
      const nodes = await knownPrimaries(handle);
      const servers = await Promise.allSettled(
        nodes.map((node) => withFlags(taker, node, () => windowOnNode(taker, node, options))),
      );
      return joinServers(
        servers.map((counts) => {
          if (counts.status === 'rejected') throw counts.reason;
          return counts.value;
        }),
      );
    });
    if (taken.ok) return taken.value;
  } catch (error) {
    throw toProblem(handle.config.id, error);
  }
  const isProfile = (await monitorUse(store, handle)) === 'profile';
  throw new Problem('conflict', isProfile ? PROFILED : OPEN_ALREADY);
};

export const coverageOf = ({ total, notAttributed }: WindowCounts): number | null => {
  const lookups = total.hits + total.misses;
  if (lookups <= 0) return null;
  const left = Math.abs(notAttributed.hits) + Math.abs(notAttributed.misses);
  return Math.max(0, 1 - left / lookups);
};

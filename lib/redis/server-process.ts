import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@/lib/errors';
import { isProcessKnown } from './client';
import type { ConnectionHandle } from './connections';
import { knownPrimaries } from './each-primary';
import { unavailable } from './failure';
import { CURSORS, type Node, readyClient } from './topology';

/**
 * The server processes of our cursors. Each process seeds its hash function differently: with a cursor of another one
 * SCAN, SSCAN and HSCAN skip elements without an error.
 */
export const processOf = ({ topology }: ConnectionHandle): string =>
  topology
    .primaries()
    .map((node) => node.client(CURSORS).process())
    .join(' ');

/** The process of each node, by which a walk notices a replaced one. */
type Processes = ReadonlyMap<Node, string | null>;

const processesOf = ({ topology }: ConnectionHandle): Processes =>
  new Map(topology.primaries().map((node) => [node, node.client(CURSORS).process()]));

/**
 * Whether no node has become another process. A node that joined or left is not a restart, because its slots have
 * moved.
 */
const areSame = (begun: Processes, now: Processes): boolean =>
  [...begun].every(([node, process]) => !now.has(node) || now.get(node) === process);

/** Like `processOf`, once all nodes are connected. Throws a 503 `Problem`. */
export const connectedProcess = async (handle: ConnectionHandle): Promise<string> => {
  for (const node of await knownPrimaries(handle)) await readyClient(handle.config.id, node, CURSORS);
  return processOf(handle);
};

/**
 * The owner of a cursor over all keys: these processes, with the current slots. Otherwise keys that moved to a scanned
 * part would be missed. Throws a 503 `Problem`.
 */
export const cursorOwner = async (handle: ConnectionHandle): Promise<string> => {
  await connectedProcess(handle);
  return cursorOwnerNow(handle);
};

/** Like `cursorOwner`, as far as it is known. */
export const cursorOwnerNow = (handle: ConnectionHandle): string =>
  `${processOf(handle)}${handle.topology.layout()}`;

/**
 * Once all nodes are connected, returns a function that checks whether each is still the same process. Throws a 503
 * `Problem`.
 */
export const watchProcesses = async (handle: ConnectionHandle): Promise<() => boolean> => {
  await connectedProcess(handle);
  const begun = processesOf(handle);
  return () => areSame(begun, processesOf(handle));
};

export const cursorExpired = (): Problem =>
  new Problem(
    'cursor_expired',
    'The server restarted or failed over, or slots of its cluster moved. Start again without a cursor.',
  );

const MAX_RESTARTS = 3;
const MAX_WAIT_MS = 10_000;
/** The limit where another server may become the primary. */
const MAX_WAIT_FOR_PRIMARY_MS = 60_000;
const MAX_WAIT_OF_REQUEST_MS = 1000;
const RETRY_MS = 50;
/** One attempt, ms: a cancelled job waits for it. */
const READY_MS = 250;

const tooManyProcesses = (handle: ConnectionHandle): Problem => {
  const { id } = handle.config;
  const what = isProcessKnown(processOf(handle)) ? ' restarted or failed over' : ': the connection was lost';
  return new Problem('unreachable', `Redis of connection "${id}"${what} during a scan.`, {
    extensions: { connection: id },
  });
};

/** Failures that were already waited for or retried too often, so that an enclosing walk does not retry them. */
const givenUp = new WeakSet<Error>();

const giveUp = (error: Error): Error => {
  givenUp.add(error);
  return error;
};

const isLoss = (error: unknown): error is Problem =>
  error instanceof Problem &&
  (error.code === 'unreachable' || error.code === 'loading') &&
  !givenUp.has(error);

/**
 * Waits until all clients in use are connected. Throws a 503 `Problem` after the time-out, and the reason of `signal`
 * when it aborts.
 */
const reconnected = async ({ topology, config }: ConnectionHandle, signal?: AbortSignal): Promise<void> => {
  const most = topology.kind === 'standalone' ? MAX_WAIT_MS : MAX_WAIT_FOR_PRIMARY_MS;
  const until = performance.now() + (signal ? most : MAX_WAIT_OF_REQUEST_MS);
  for (;;) {
    // Sleeps first, because a client may still appear ready just after its socket closed.
    await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    signal?.throwIfAborted();
    const withinMs = Math.min(READY_MS, until - performance.now());
    // A node may leave meanwhile.
    const clients = topology.primaries().flatMap((node) => node.clients());
    try {
      await Promise.all(clients.map((client) => client.ready(withinMs)));
      return;
    } catch (error) {
      const problem = unavailable(config.id, error);
      if (!isLoss(problem) || performance.now() > until) throw giveUp(problem);
    }
  }
};

/**
 * Called before a change that a job must send only once: waits while the server is known to be unreachable, up to 10 s
 * (60 s where another server may become the primary) or until `signal` aborts. Throws a 503 `Problem` after that.
 */
export const untilConnected = async (handle: ConnectionHandle, signal: AbortSignal): Promise<void> => {
  const clients = handle.topology.primaries().flatMap((node) => node.clients());
  if (clients.every((client) => client.state() === 'ready')) return;
  await reconnected(handle, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
};

interface WalkOptions {
  /** Called when the walk restarts: the consumer resets its counts. */
  restarted?(): void;
  maxRestarts?: number;
  /**
   * For a job or a background pass, which waits up to 10 s for a lost server (60 s where another one may become the
   * primary), or until this aborts. A request without it waits 1 s.
   */
  signal?: AbortSignal;
}

/**
 * Runs a walk from the beginning to the end within one process of the server. If another process answers in between,
 * or the connection is lost, the walk restarts so that nothing is skipped; elements may then occur twice. Throws 503
 * when that happens too often or the server stays unreachable. An error of the consumer ends the walk.
 */
export async function* walkWithRestart<T>(
  handle: ConnectionHandle,
  walk: () => AsyncIterable<T> | Promise<AsyncIterable<T>>,
  { restarted, maxRestarts = MAX_RESTARTS, signal }: WalkOptions = {},
): AsyncGenerator<T> {
  for (let restarts = 0; ; restarts++) {
    const isSame = await watchProcesses(handle);
    try {
      for await (const part of await walk()) {
        if (!isSame()) break;
        yield part;
      }
      if (isSame()) return;
      if (restarts === maxRestarts) throw giveUp(tooManyProcesses(handle));
    } catch (error) {
      if (!isLoss(error)) throw error;
      if (restarts === maxRestarts) throw giveUp(error);
      await reconnected(handle, signal);
    }
    restarted?.();
  }
}

/** Like `walkWithRestart`, for work without side effects or state between runs, such as a count. */
export const countWithRestart = async <T>(
  handle: ConnectionHandle,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const run = async function* () {
    yield await work();
  };
  let last: { result: T } | undefined;
  for await (const result of walkWithRestart(handle, run, { signal })) last = { result };
  return last!.result;
};

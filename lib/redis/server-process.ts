import 'server-only';
import { Problem } from '@/lib/errors';
import type { ConnectionHandle } from './connections';
import { readyClient } from './topology';

/** Those whose cursors go to lists and walks. */
const PURPOSES = ['read', 'scan'] as const;

/**
 * Which process of the server our clients are connected to, or were last. Each seeds its hashes anew: with a cursor of
 * another one SCAN, SSCAN and HSCAN leave out a part of the elements, without an error.
 */
export const processOf = ({ topology }: ConnectionHandle): string => {
  const clients = topology.primaries().flatMap((node) => PURPOSES.map((purpose) => node.client(purpose)));
  return clients.map((client) => client.process()).join(' ');
};

/** The same, once all are connected. Throws a 503 `Problem`. */
export const connectedProcess = async (handle: ConnectionHandle): Promise<string> => {
  for (const node of handle.topology.primaries())
    for (const purpose of PURPOSES) await readyClient(handle.config.id, node, purpose);
  return processOf(handle);
};

export const cursorExpired = (): Problem =>
  new Problem(
    'cursor_expired',
    'The server restarted, or another one took over: begin again without a cursor.',
  );

const MAX_RESTARTS = 3;

const tooManyProcesses = ({ config: { id } }: ConnectionHandle): Problem =>
  new Problem(
    'unreachable',
    `Redis of connection "${id}" restarted, or another one took over, while its keys were gone through.`,
    { extensions: { connection: id } },
  );

interface WalkOptions {
  /** It begins again: what was counted of what stayed as it was is to be forgotten. */
  restarted?(): void;
  maxRestarts?: number;
}

/**
 * A walk from the beginning to the end, within one process of the server. Where another one answers in the middle it
 * begins again, so that nothing is left out: what it gave may then come again. Throws 503 when that goes on.
 */
export async function* wholeWalk<T>(
  handle: ConnectionHandle,
  walk: () => AsyncIterable<T> | Promise<AsyncIterable<T>>,
  { restarted, maxRestarts = MAX_RESTARTS }: WalkOptions = {},
): AsyncGenerator<T> {
  for (let restarts = 0; ; restarts++) {
    const begun = await connectedProcess(handle);
    const isSame = () => processOf(handle) === begun;
    for await (const part of await walk()) {
      if (!isSame()) break;
      yield part;
    }
    if (isSame()) return;
    if (restarts === maxRestarts) throw tooManyProcesses(handle);
    restarted?.();
  }
}

/** As `wholeWalk`, for work that keeps nothing between two runs, such as a count. */
export const wholeCount = async <T>(handle: ConnectionHandle, work: () => Promise<T>): Promise<T> => {
  for (let restarts = 0; ; restarts++) {
    const begun = await connectedProcess(handle);
    const result = await work();
    if (processOf(handle) === begun) return result;
    if (restarts === MAX_RESTARTS) throw tooManyProcesses(handle);
  }
};

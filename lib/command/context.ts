import 'server-only';
import type { Actor } from '@/lib/actor';
import type { Input, Result } from '@/lib/contract';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { ownCatalogs } from '@/lib/keyspace/own/load';
import type { Registry } from '@/lib/keyspace/registry';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import type { Reader } from '@/lib/redis/reader';
import { type Store, store } from '@/lib/redis/store';
import { makeWriter, type Writer } from '@/lib/redis/writer';

/** The context of an operation on the console's own data: accounts, jobs, audit. */
export interface ConsoleContext {
  actor: Actor;
  requestId: string;
  /** The caller's own address in canonical form; null outside HTTP, or where it cannot be determined. */
  address?: string | null;
  /** Aborts when the caller disconnects. A read or a preview stops then, a change never. */
  signal?: AbortSignal;
  store: Store;
  /** Epoch milliseconds. */
  now: () => number;
}

/** The context of a read of one Redis. `reader` has only read commands and bounded cursors. */
export interface ReadContext extends ConsoleContext {
  connection: ConnectionHandle;
  catalog: Registry;
  reader: Reader;
  /** A second user approved the change, or needs not: a dry run, an undo, a scheduled change. */
  isApproved?: boolean;
}

/** What answers an operation `C` that reads one Redis. */
export type ReadOf<C> = (ctx: ReadContext, input: Input<C>) => Promise<Result<C>>;

export interface ConsoleWriteContext extends ConsoleContext {
  /** The change's audit entry. Its intent is already written. */
  auditId: string;
  reason: string | null;
}

/** The context of an audited read, without a writer. */
export interface RecordedReadContext extends ReadContext, ConsoleWriteContext {}

/** The context of a change. Only `runCommand` and the job runner create one. */
export interface WriteContext extends RecordedReadContext {
  writer: Writer;
}

export interface Caller {
  actor: Actor;
  requestId: string;
  address?: string | null;
  signal?: AbortSignal;
  isApproved?: boolean;
}

export const consoleContext = ({ actor, requestId, address = null, signal }: Caller): ConsoleContext => ({
  actor,
  requestId,
  address,
  signal,
  store: store(),
  now: Date.now,
});

/**
 * The catalog of a connection: the families of its apps under the configured names, of its own catalogs, and the
 * console's own. It is replaced when a file changes, so look it up for each piece of work.
 */
export const catalogOf = (connection: ConnectionHandle): Registry => {
  const { apps, hawk, catalogs } = connection.config;
  const names = {
    disabledProjects: hawk.disabledProjectsSet,
    blacklistIps: hawk.blacklistSet,
    allIps: hawk.allIpsMap,
    currentPeriod: hawk.currentPeriodMap,
  };
  return catalogFor(apps, names, ownCatalogs(catalogs));
};

export const findConnection = (id: string): ConnectionHandle | undefined => connections().get(id);

export const readContext = (caller: Caller, connection: ConnectionHandle): ReadContext => ({
  ...consoleContext(caller),
  connection,
  catalog: catalogOf(connection),
  reader: connection.reader,
  ...(caller.isApproved && { isApproved: true }),
});

export const writeContext = (
  caller: Caller,
  connection: ConnectionHandle,
  change: { auditId: string; reason: string | null },
): WriteContext => ({ ...readContext(caller, connection), ...change, writer: makeWriter(connection) });

import 'server-only';
import { type LoggedCall, type SlowCall, slowCalls, withCallers } from '@/lib/calls/slow-log';
import { commandTable } from '@/lib/calls/table';
import type { ReadContext } from '@/lib/command/context';
import { mapInSteps } from '@/lib/in-steps';
import type { Registry } from '@/lib/keyspace/registry';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { agreed, fromPrimaries, type MissingNode, nameBesideOthers } from '@/lib/redis/each-primary';
import { ownClients } from '@/lib/redis/own-clients';
import { orRefused } from '@/lib/redis/section';
import { readServer, readSetting } from '@/lib/redis/server-reads';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import type { Node } from '@/lib/redis/topology';
import { SECOND } from '@/lib/time';

const SHARED_MS = 2 * SECOND;
/** Number of entries read to find new ones. */
const FIRST = 128;
const MAX_ENTRIES = 10_000;
/**
 * Limit of stored entries, and of a reply as far as its size can be estimated. A log of long entries is read only
 * partially.
 */
const MAX_BYTES = 16 * 2 ** 20;
/** The longest entry a server logs: 32 arguments of 128 bytes, each with the number of omitted ones. */
const MAX_ENTRY_BYTES = 32 * 160;
/** Older entries may be this many times longer than those already read. */
const TIMES_LONGER = 4;
/** Number of entries parsed before other requests are served. */
const PER_STEP = 250;

/** A server's log as this process last read it, newest first. */
interface KnownLog {
  catalog: Registry;
  entries: readonly SlowCall[];
}

const known = processWide('slow logs', () => new WeakMap<Node, KnownLog>());

const readEntries = async (handle: ConnectionHandle, node: Node, count: number): Promise<LoggedCall[]> =>
  (await readServer(handle, node, ['SLOWLOG', 'GET', count])) as LoggedCall[];

const bytesOf = ([, , , args, , name]: LoggedCall): number =>
  args.reduce((sum, arg) => sum + arg.length, 64 + (name?.length ?? 0));

/** How many entries may be requested next: the server returns only the newest, so each reply repeats the earlier ones. */
export const nextCount = (read: readonly LoggedCall[], length: number): number => {
  const bytes = read.reduce((sum, entry) => sum + bytesOf(entry), 0);
  const longest = Math.min(MAX_ENTRY_BYTES, (TIMES_LONGER * bytes) / read.length);
  const more = Math.floor((MAX_BYTES - bytes) / longest);
  return Math.min(length, MAX_ENTRIES, read.length + Math.max(0, more));
};

/** Reads as much of the log as the limits permit. */
const readOn = async (
  handle: ConnectionHandle,
  node: Node,
  first: LoggedCall[],
  length: number,
): Promise<LoggedCall[]> => {
  let read = first;
  for (let asked = FIRST; read.length >= asked; ) {
    const count = nextCount(read, length);
    if (count <= read.length) break;
    asked = count;
    read = await readEntries(handle, node, count);
  }
  return read;
};

const isSame = ([id, at, micros]: LoggedCall, entry: SlowCall): boolean =>
  id === entry.id && at * SECOND === entry.at && micros === entry.durationMicros;

/**
 * The entries since the last reading, up to its newest one; null where the log was reset. Ids ascend, and restart with
 * the server.
 */
const newOf = (first: readonly LoggedCall[], newest: SlowCall | undefined): readonly LoggedCall[] | null => {
  const at = newest ? first.findIndex((entry) => isSame(entry, newest)) : -1;
  return at < 0 ? null : first.slice(0, at);
};

/** The size of an entry without its values. */
const keptBytes = ({ call, name }: SlowCall): number =>
  call.shown.reduce((sum, { text }) => sum + text.length, 64 + (name?.length ?? 0));

/** The newest entries within the limits. */
const kept = (entries: readonly SlowCall[], length: number): readonly SlowCall[] => {
  let bytes = 0;
  const most = entries.slice(0, Math.min(length, MAX_ENTRIES));
  const end = most.findIndex((entry) => {
    bytes += keptBytes(entry);
    return bytes > MAX_BYTES;
  });
  return end < 0 ? most : most.slice(0, end);
};

export interface LoggedEntry extends SlowCall {
  /** The address of its primary; null for a single one. */
  node: string | null;
}

export interface SlowLog {
  at: number;
  /** Entries of each primary, newest first. */
  entries: readonly LoggedEntry[];
  length: number;
  /** Null also where primaries differ, like `maxLength`. */
  thresholdMicros: number | null;
  maxLength: number | null;
  missing: string[];
  missingNodes: MissingNode[];
}

/** Reads a server's complete log the first time, then only new entries. Throws its refusal. */
const readNode = async ({ connection, catalog }: ReadContext, node: Node) => {
  const table = await commandTable(connection);
  const first = await readEntries(connection, node, FIRST);
  const length = Number(await readServer(connection, node, ['SLOWLOG', 'LEN']));
  const before = known().get(node);
  const old = before?.catalog === catalog ? before.entries : [];
  const added = newOf(first, old[0]);
  const logged = added ?? (await readOn(connection, node, first, length));
  const show = slowCalls(catalog, table, ownClients(node));
  const parsed = withCallers(await mapInSteps(logged, PER_STEP, show));
  const entries = kept(added ? [...parsed, ...old] : parsed, length);
  known().set(node, { catalog, entries });
  const place = nameBesideOthers(connection, node);
  return {
    entries: entries.map((entry): LoggedEntry => ({ ...entry, node: place })),
    length,
    threshold: await orRefused(readSetting(connection, node, 'slowlog-log-slower-than')),
    maxLength: await orRefused(readSetting(connection, node, 'slowlog-max-len')),
  };
};

const read = async (ctx: ReadContext): Promise<SlowLog> => {
  const at = ctx.now();
  const { answers, missing } = await fromPrimaries(ctx.connection, (node) => readNode(ctx, node));
  const logs = answers.map(({ value }) => value);
  const refusals = logs.flatMap(({ threshold, maxLength }) => [threshold.refused, maxLength.refused]);
  return {
    at,
    missingNodes: missing,
    entries: logs.flatMap(({ entries }) => entries),
    length: logs.reduce((sum, log) => sum + log.length, 0),
    thresholdMicros: agreed(logs.map(({ threshold }) => threshold.value)),
    maxLength: agreed(logs.map(({ maxLength }) => maxLength.value)),
    missing: [...new Set(refusals.flatMap((refused) => refused?.missing ?? []))],
  };
};

const shared = sharedAnswer<SlowLog>('slow-log', SHARED_MS);

/** The slow logs of all primaries, read once for all requests within two seconds. Throws the server's refusal. */
export const readSlowLog = (ctx: ReadContext): Promise<SlowLog> => shared.of(ctx.connection, () => read(ctx));

import 'server-only';
import { setImmediate as turn } from 'node:timers/promises';
import { type LoggedCall, type SlowCall, slowCalls, withCallers } from '@/lib/calls/slow-log';
import { commandTable } from '@/lib/calls/table';
import type { ReadContext } from '@/lib/command/context';
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
/** As many as are read to see what is new. */
const FIRST = 128;
const MAX_ENTRIES = 10_000;
/** Of what is kept, and of a reply as far as that is known before. A log of long entries is read only as far as this. */
const MAX_BYTES = 16 * 2 ** 20;
/** The longest that a server logs: 32 arguments of 128 bytes, each with how many more there were. */
const MAX_ENTRY_BYTES = 32 * 160;
/** Older entries may be longer than those that were read. */
const TIMES_LONGER = 4;
/** Parsed before other requests get their turn. */
const PER_STEP = 250;

/** The log of a server as this process read it last, newest first. */
interface KnownLog {
  catalog: Registry;
  entries: readonly SlowCall[];
}

const known = processWide('slow logs', () => new WeakMap<Node, KnownLog>());

const readEntries = async (handle: ConnectionHandle, node: Node, count: number): Promise<LoggedCall[]> =>
  (await readServer(handle, node, ['SLOWLOG', 'GET', count])) as LoggedCall[];

const bytesOf = ([, , , args, , name]: LoggedCall): number =>
  args.reduce((sum, arg) => sum + arg.length, 64 + (name?.length ?? 0));

/** How many may be asked for next: the server gives only the newest, so each reply has those before it too. */
export const nextCount = (read: readonly LoggedCall[], length: number): number => {
  const bytes = read.reduce((sum, entry) => sum + bytesOf(entry), 0);
  const longest = Math.min(MAX_ENTRY_BYTES, (TIMES_LONGER * bytes) / read.length);
  const more = Math.floor((MAX_BYTES - bytes) / longest);
  return Math.min(length, MAX_ENTRIES, read.length + Math.max(0, more));
};

/** As much of the log as may be read. */
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
 * The entries that are new since the last reading, and where its newest one follows; null where the log is another one.
 * Ids ascend, and begin again when the server restarts.
 */
const newOf = (first: readonly LoggedCall[], newest: SlowCall | undefined): readonly LoggedCall[] | null => {
  const at = newest ? first.findIndex((entry) => isSame(entry, newest)) : -1;
  return at < 0 ? null : first.slice(0, at);
};

const parse = async (
  logged: readonly LoggedCall[],
  show: (entry: LoggedCall) => SlowCall,
): Promise<SlowCall[]> => {
  const entries: SlowCall[] = [];
  for (let from = 0; from < logged.length; from += PER_STEP) {
    for (const each of logged.slice(from, from + PER_STEP)) entries.push(show(each));
    await turn();
  }
  return withCallers(entries);
};

/** Of an entry without its values. */
const keptBytes = ({ call, name }: SlowCall): number =>
  call.shown.reduce((sum, { text }) => sum + text.length, 64 + (name?.length ?? 0));

/** The newest entries that may be kept. */
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
  /** The address of its primary; null for the only one. */
  node: string | null;
}

export interface SlowLog {
  at: number;
  /** Of each primary, newest first. */
  entries: readonly LoggedEntry[];
  length: number;
  /** null also where primaries differ; `maxLength` likewise. */
  thresholdMicros: number | null;
  maxLength: number | null;
  missing: string[];
  missingNodes: MissingNode[];
}

/** The complete log of a server the first time, then only what is new. Throws its refusal. */
const readNode = async ({ connection, catalog }: ReadContext, node: Node) => {
  const table = await commandTable(connection);
  const first = await readEntries(connection, node, FIRST);
  const length = Number(await readServer(connection, node, ['SLOWLOG', 'LEN']));
  const before = known().get(node);
  const old = before?.catalog === catalog ? before.entries : [];
  const added = newOf(first, old[0]);
  const logged = added ?? (await readOn(connection, node, first, length));
  const parsed = await parse(logged, slowCalls(catalog, table, ownClients(node)));
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

/** The slow logs of all primaries, read once for all who ask within two seconds. Throws the server's refusal. */
export const readSlowLog = (ctx: ReadContext): Promise<SlowLog> => shared.of(ctx.connection, () => read(ctx));

/** Tests read what they just wrote: `shared` alone as two seconds later. */
export const forgetSlowLog = (what: 'shared' | 'all' = 'all'): void => {
  shared.forget();
  if (what === 'all') known.forget();
};

import 'server-only';
import { setImmediate as turn } from 'node:timers/promises';
import { type LoggedCall, type SlowCall, slowCallOf } from '@/lib/calls/slow-log';
import { commandTable } from '@/lib/calls/table';
import type { Registry } from '@/lib/catalog/registry';
import type { ReadContext } from '@/lib/command/context';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { orRefused, type Refused } from '@/lib/redis/section';
import { readServer, readSetting } from '@/lib/redis/server-reads';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { SECOND } from '@/lib/time';

const SHARED_MS = 2 * SECOND;
/** As many as are read to see what is new. */
const FIRST = 128;
const MAX_ENTRIES = 10_000;
/** An entry has at most 31 arguments of 128 bytes: a log of those is read only as far as this. */
const MAX_BYTES = 8 * 2 ** 20;
/** Parsed before other requests get their turn. */
const PER_STEP = 250;

/** The log as this process read it last, newest first. */
interface KnownLog {
  catalog: Registry;
  entries: readonly SlowCall[];
}

const known = processWide('slow logs', () => new WeakMap<ConnectionHandle, KnownLog>());

const readEntries = async (handle: ConnectionHandle, count: number): Promise<LoggedCall[]> =>
  (await readServer(handle, ['SLOWLOG', 'GET', count])) as LoggedCall[];

const bytesOf = ([, , , args]: LoggedCall): number => args.reduce((sum, arg) => sum + arg.length, 64);

/** How many entries of the size of the first ones may be read. */
const countOf = (first: readonly LoggedCall[], length: number): number => {
  const bytes = first.reduce((sum, entry) => sum + bytesOf(entry), 0);
  return Math.min(length, MAX_ENTRIES, Math.max(FIRST, Math.floor((MAX_BYTES * first.length) / bytes)));
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
  handle: ConnectionHandle,
  logged: readonly LoggedCall[],
  catalog: Registry,
): Promise<{ entries: SlowCall[]; refused: Refused | null }> => {
  const { value: table, refused } = await orRefused(commandTable(handle));
  const entries: SlowCall[] = [];
  for (let from = 0; from < logged.length; from += PER_STEP) {
    for (const each of logged.slice(from, from + PER_STEP)) entries.push(slowCallOf(each, catalog, table));
    await turn();
  }
  return { entries, refused };
};

export interface SlowLog {
  at: number;
  /** Newest first. */
  entries: readonly SlowCall[];
  length: number;
  thresholdMicros: number | null;
  maxLength: number | null;
  missing: string[];
}

/** The complete log the first time, then only what is new. */
const read = async ({ connection, catalog, now }: ReadContext): Promise<SlowLog> => {
  const at = now();
  const first = await readEntries(connection, FIRST);
  const length = Number(await readServer(connection, ['SLOWLOG', 'LEN']));
  const before = known().get(connection);
  const old = before?.catalog === catalog ? before.entries : [];
  const added = newOf(first, old[0]);
  const isAll = first.length < FIRST;
  const logged = added ?? (isAll ? first : await readEntries(connection, countOf(first, length)));
  const parsed = await parse(connection, logged, catalog);
  const entries = [...parsed.entries, ...(added ? old : [])].slice(0, Math.min(length, MAX_ENTRIES));
  // Without the table of commands an entry has no families: it is read again once COMMAND is permitted.
  if (!parsed.refused) known().set(connection, { catalog, entries });
  const threshold = await orRefused(readSetting(connection, 'slowlog-log-slower-than'));
  const maxLength = await orRefused(readSetting(connection, 'slowlog-max-len'));
  const missing = [parsed, threshold, maxLength].flatMap(({ refused }) => refused?.missing ?? []);
  return {
    ...{ at, entries, length, thresholdMicros: threshold.value, maxLength: maxLength.value },
    missing: [...new Set(missing)],
  };
};

const shared = sharedAnswer<SlowLog>('slow-log', SHARED_MS);

/** The slow log, read once for all who ask within two seconds. Throws the server's refusal. */
export const readSlowLog = (ctx: ReadContext): Promise<SlowLog> => shared.of(ctx.connection, () => read(ctx));

/** Tests read what they just wrote: `shared` alone as two seconds later. */
export const forgetSlowLog = (what: 'shared' | 'all' = 'all'): void => {
  shared.forget();
  if (what === 'all') known.forget();
};

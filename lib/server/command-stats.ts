import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import type { Input } from '@/lib/contract';
import { displayBytes } from '@/lib/keyspace/display';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { fromPrimaries, type MissingNode } from '@/lib/redis/each-primary';
import { parseInfo } from '@/lib/redis/info';
import { orRefused } from '@/lib/redis/section';
import { readServer } from '@/lib/redis/server-reads';
import type { Node } from '@/lib/redis/topology';
import { iso, MINUTE, SECOND } from '@/lib/time';
import { pagedReadings, pageOfReading } from './readings';
import type { CommandStats, serverContracts } from './schema';

type List = Input<typeof serverContracts.commands>;

const SHARED_MS = 2 * SECOND;
/** A rate over a longer time does not describe the present. */
const MAX_WINDOW_MS = MINUTE;
const MAX_NAME = 80;

/** The counters of each command, by the server's name for it. */
export interface Reading {
  /** `performance.now()`. */
  at: number;
  process: string | null;
  calls: ReadonlyMap<string, number>;
}

/** Calls per second of each command; null where a counter fell, because the server restarted or reset them. */
export const ratesBetween = (
  before: Reading | undefined,
  now: Reading,
): { windowSeconds: number; perSecond: ReadonlyMap<string, number> } | null => {
  if (!before || before.process !== now.process) return null;
  const windowSeconds = (now.at - before.at) / SECOND;
  if (windowSeconds <= 0 || windowSeconds * SECOND > MAX_WINDOW_MS) return null;
  for (const [name, calls] of before.calls) if ((now.calls.get(name) ?? -1) < calls) return null;
  const perSecond = new Map<string, number>();
  for (const [name, calls] of now.calls)
    perSecond.set(name, (calls - (before.calls.get(name) ?? 0)) / windowSeconds);
  return { windowSeconds, perSecond };
};

const PREFIX = 'cmdstat_';
const LATENCIES = 'latency_percentiles_usec_';

/** `calls=1,usec=2` → numbers by name. */
const numbersOf = (value: string): Map<string, number> =>
  new Map(
    value.split(',').map((pair): [string, number] => {
      const [name = '', text] = pair.split('=');
      return [name, Number(text)];
    }),
  );

const percentilesOf = (value: string | undefined): CommandStats['percentiles'] =>
  value === undefined
    ? []
    : [...numbersOf(value)]
        .map(([name, micros]) => ({ percentile: Number(name.slice(1)), micros }))
        .filter(({ percentile, micros }) => Number.isFinite(percentile) && Number.isFinite(micros));

const shownName = (name: string): string =>
  displayBytes(Buffer.from(name.replace('|', ' ').toUpperCase()), MAX_NAME);

interface Stats {
  at: number;
  windowSeconds: number | null;
  commands: CommandStats[];
  missing: string[];
  missingNodes: MissingNode[];
}

const lastReadings = processWide('command readings', () => new WeakMap<Node, Reading>());

/** The statistics of one server. Throws its refusal. */
const readNode = async (connection: ConnectionHandle, node: Node) => {
  const text = String(await readServer(connection, node, ['INFO', 'commandstats']));
  const counters = [...parseInfo(text)]
    .filter(([name]) => name.startsWith(PREFIX))
    .map(([name, value]) => ({ name: name.slice(PREFIX.length), numbers: numbersOf(value) }));
  const reading: Reading = {
    at: performance.now(),
    process: node.process(),
    calls: new Map(counters.map(({ name, numbers }) => [name, numbers.get('calls') ?? 0])),
  };
  const rates = ratesBetween(lastReadings().get(node), reading);
  lastReadings().set(node, reading);
  // Since Redis 7.0; earlier versions return an empty section.
  const latencies = await orRefused(readServer(connection, node, ['INFO', 'latencystats']));
  return {
    counters,
    rates,
    percentiles: parseInfo(String(latencies.value ?? '')),
    missing: latencies.refused?.missing ?? [],
  };
};
type NodeStats = Awaited<ReturnType<typeof readNode>>;

/** The sum of the known values; null without any. */
const sumOf = (values: readonly (number | null | undefined)[]): number | null => {
  const known = values.filter((value) => typeof value === 'number');
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
};

const longest = (all: readonly CommandStats['percentiles'][]): CommandStats['percentiles'] => {
  const percentiles = new Map<number, number>();
  for (const { percentile, micros } of all.flat())
    percentiles.set(percentile, Math.max(percentiles.get(percentile) ?? 0, micros));
  return [...percentiles].map(([percentile, micros]) => ({ percentile, micros }));
};

/** A command's statistics over all servers that have called it. */
const commandOn = (servers: readonly NodeStats[], name: string, allMicros: number): CommandStats => {
  const numbers = servers.flatMap(({ counters }) =>
    counters.filter((counter) => counter.name === name).map((counter) => counter.numbers),
  );
  const sum = (field: string): number | null => sumOf(numbers.map((fields) => fields.get(field)));
  const calls = sum('calls') ?? 0;
  const totalMicros = sum('usec') ?? 0;
  const areRatesKnown = servers.every(({ rates }) => rates !== null);
  return {
    command: shownName(name),
    calls,
    totalMicros,
    callsPerSecond: areRatesKnown ? sumOf(servers.map(({ rates }) => rates?.perSecond.get(name))) : null,
    usecPerCall:
      numbers.length === 1
        ? (numbers[0]!.get('usec_per_call') ?? null)
        : calls > 0
          ? totalMicros / calls
          : null,
    timeShare: allMicros > 0 ? totalMicros / allMicros : null,
    rejectedCalls: sum('rejected_calls'),
    failedCalls: sum('failed_calls'),
    percentiles: longest(servers.map(({ percentiles }) => percentilesOf(percentiles.get(LATENCIES + name)))),
  };
};

const read = async ({ connection, now }: ReadContext): Promise<Stats> => {
  const { answers, missing } = await fromPrimaries(connection, (node) => readNode(connection, node));
  const at = now();
  const servers = answers.map(({ value }) => value);
  const counters = servers.flatMap((server) => server.counters);
  const allMicros = counters.reduce((sum, { numbers }) => sum + (numbers.get('usec') ?? 0), 0);
  const windows = servers.map(({ rates }) => rates?.windowSeconds ?? null);
  return {
    commands: [...new Set(counters.map(({ name }) => name))].map((name) =>
      commandOn(servers, name, allMicros),
    ),
    at,
    missingNodes: missing,
    missing: [...new Set(servers.flatMap((server) => server.missing))],
    windowSeconds: windows.includes(null) ? null : Math.max(...windows.map(Number)),
  };
};

const readings = pagedReadings<Stats>('command-stats', SHARED_MS);

const SORTED: Record<List['sort'], (row: CommandStats) => number | null> = {
  time: ({ totalMicros }) => totalMicros,
  calls: ({ calls }) => calls,
  rate: ({ callsPerSecond }) => callsPerSecond,
  perCall: ({ usecPerCall }) => usecPerCall,
  rejected: ({ rejectedCalls }) => rejectedCalls,
  failed: ({ failedCalls }) => failedCalls,
};

const nothing = (at: number): Stats => ({
  at,
  windowSeconds: null,
  commands: [],
  missing: [],
  missingNodes: [],
});

/** commandstats.list */
export const listCommands: ReadOf<typeof serverContracts.commands> = async (ctx, input) => {
  const answer = await orRefused(readings.of(ctx.connection, input.cursor, () => read(ctx)));
  const { id, value } = answer.value ?? { id: 0, value: nothing(ctx.now()) };
  const { at, windowSeconds, commands, missing, missingNodes } = value;
  const text = input.q?.trim().toUpperCase() ?? '';
  const rows = commands.filter(
    ({ command, rejectedCalls, failedCalls }) =>
      command.includes(text) && (!input.failing || (rejectedCalls ?? 0) + (failedCalls ?? 0) > 0),
  );
  return {
    ...pageOfReading(rows, id, input, (row) => [SORTED[input.sort](row), row.command]),
    readAt: iso(at),
    windowSeconds,
    missing,
    missingNodes,
    refused: answer.refused,
    total: answer.refused ? null : rows.length,
    callsPerSecond:
      windowSeconds === null ? null : commands.reduce((sum, row) => sum + (row.callsPerSecond ?? 0), 0),
  };
};

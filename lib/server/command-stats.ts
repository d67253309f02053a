import 'server-only';
import { displayBytes } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { parseInfo } from '@/lib/redis/info';
import { orRefused } from '@/lib/redis/section';
import { readServer } from '@/lib/redis/server-reads';
import { iso, MINUTE, SECOND } from '@/lib/time';
import { pagedReadings, pageOfReading } from './readings';
import type { CommandStats, serverContracts } from './schema';

type List = Input<typeof serverContracts.commands>;

const SHARED_MS = 2 * SECOND;
/** A rate over more says nothing about now. */
const MAX_WINDOW_MS = MINUTE;
const MAX_NAME = 80;

/** The counters of each command, by its name as the server writes it. */
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
}

const lastReadings = processWide('command readings', () => new WeakMap<ConnectionHandle, Reading>());

const processOf = ({ topology }: ConnectionHandle): string | null =>
  topology.primaries()[0]!.client('read').process();

const read = async ({ connection, now }: ReadContext): Promise<Stats> => {
  const text = String(await readServer(connection, ['INFO', 'commandstats']));
  const at = now();
  const rows = [...parseInfo(text)].filter(([name]) => name.startsWith(PREFIX));
  const counters = rows.map(([name, value]) => ({
    name: name.slice(PREFIX.length),
    numbers: numbersOf(value),
  }));
  const reading: Reading = {
    ...{ at: performance.now(), process: processOf(connection) },
    calls: new Map(counters.map(({ name, numbers }) => [name, numbers.get('calls') ?? 0])),
  };
  const rates = ratesBetween(lastReadings().get(connection), reading);
  lastReadings().set(connection, reading);
  // Since Redis 7.0; before it the section is empty.
  const latencies = await orRefused(readServer(connection, ['INFO', 'latencystats']));
  const percentiles = parseInfo(String(latencies.value ?? ''));
  const allMicros = counters.reduce((sum, { numbers }) => sum + (numbers.get('usec') ?? 0), 0);
  const commands = counters.map(({ name, numbers }): CommandStats => {
    const totalMicros = numbers.get('usec') ?? 0;
    return {
      command: shownName(name),
      calls: numbers.get('calls') ?? 0,
      callsPerSecond: rates?.perSecond.get(name) ?? null,
      totalMicros,
      usecPerCall: numbers.get('usec_per_call') ?? null,
      timeShare: allMicros > 0 ? totalMicros / allMicros : null,
      rejectedCalls: numbers.get('rejected_calls') ?? null,
      failedCalls: numbers.get('failed_calls') ?? null,
      percentiles: percentilesOf(percentiles.get(LATENCIES + name)),
    };
  });
  return {
    ...{ at, commands, windowSeconds: rates?.windowSeconds ?? null },
    missing: latencies.refused?.missing ?? [],
  };
};

const readings = pagedReadings<Stats>('command-stats', SHARED_MS);

/** Tests begin without an earlier reading. `shared` alone: the next call reads again. */
export const forgetCommandStats = (what: 'shared' | 'all' = 'all'): void => {
  readings.forget();
  if (what === 'all') lastReadings.forget();
};

const SORTED: Record<List['sort'], (row: CommandStats) => number | null> = {
  time: ({ totalMicros }) => totalMicros,
  calls: ({ calls }) => calls,
  rate: ({ callsPerSecond }) => callsPerSecond,
  perCall: ({ usecPerCall }) => usecPerCall,
  rejected: ({ rejectedCalls }) => rejectedCalls,
  failed: ({ failedCalls }) => failedCalls,
};

const nothing = (at: number): Stats => ({ at, windowSeconds: null, commands: [], missing: [] });

/** commandstats.list */
export const listCommands = async (
  ctx: ReadContext,
  input: List,
): Promise<Result<typeof serverContracts.commands>> => {
  const answer = await orRefused(readings.of(ctx.connection, input.cursor, () => read(ctx)));
  const { id, value } = answer.value ?? { id: 0, value: nothing(ctx.now()) };
  const { at, windowSeconds, commands, missing } = value;
  const text = input.q?.trim().toUpperCase() ?? '';
  const rows = commands.filter(
    ({ command, rejectedCalls, failedCalls }) =>
      command.includes(text) && (!input.failing || (rejectedCalls ?? 0) + (failedCalls ?? 0) > 0),
  );
  return {
    ...pageOfReading(rows, id, input, (row) => [SORTED[input.sort](row), row.command]),
    ...{ readAt: iso(at), windowSeconds, missing, refused: answer.refused },
    total: answer.refused ? null : rows.length,
    callsPerSecond:
      windowSeconds === null ? null : commands.reduce((sum, row) => sum + (row.callsPerSecond ?? 0), 0),
  };
};

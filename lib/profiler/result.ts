import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';
import type { CommandTime } from '@/lib/redis/server-counters';
import { iso, SECOND } from '@/lib/time';
import { type CallCounts, NO_KEY, UNKNOWN_COMMAND } from './call-counts';
import type { Callers } from './callers';
import { UNCLASSIFIED } from './calls';
import type { Profile, ProfileFilter } from './schema';
import type { SlowCall } from './slow-calls';

/** Rows per kind; the store keeps the result with its job. */
const MAX_ROWS = 50;
const MAX_SLOW = 20;

interface Observed {
  counts: CallCounts;
  callers: Callers;
  catalog: Registry;
  /** Command times of all clients during the profile; null where INFO is refused. */
  times: ReadonlyMap<string, CommandTime> | null;
  /** The number of servers in `times`. */
  servers: number;
  slow: { calls: SlowCall[]; complete: boolean } | null;
  ended: Profile['ended'];
  elapsedMs: number;
  listenedMs: number;
  /** How long MONITOR was read in each second, ms. */
  listened: readonly number[];
  receivedBytes: number;
  isListed: boolean;
  /** Epoch ms by the server's clock. */
  startedAt: number;
  seconds: number;
  filter: ProfileFilter;
  share: number;
  /** By calls and bytes; null where unknown. */
  costMs: number | null;
  measuredMs: number | null;
}

const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits));

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Adds up calls under other names. */
const regroup = (
  counts: readonly (readonly [string, number])[],
  nameOf: (name: string) => string,
): [name: string, calls: number, of: number][] => {
  const groups = new Map<string, [number, number]>();
  for (const [name, calls] of counts) {
    const [before, of] = groups.get(nameOf(name)) ?? [0, 0];
    groups.set(nameOf(name), [before + calls, of + 1]);
  }
  return [...groups]
    .map(([name, [calls, of]]): [string, number, number] => [name, calls, of])
    .sort((a, b) => b[1] - a[1]);
};

const nameOfCommand = (name: string): string => name.replace('|', ' ').toUpperCase();

const microsPerCall = (time: CommandTime | undefined): number | null =>
  time && time.calls > 0 ? rounded(time.micros / time.calls, 2) : null;

const patternsOf = ({ counts, times, slow }: Observed, counted: (calls: number) => object) => {
  const groups = new Map<string, { family: string; pattern: string; calls: number; micros: number | null }>();
  for (const { family, pattern, command, calls } of counts.byPattern()) {
    const group = groups.get(pattern) ?? { family, pattern, calls: 0, micros: times ? 0 : null };
    const average = microsPerCall(times?.get(command));
    group.calls += calls;
    if (group.micros !== null && average !== null) group.micros += calls * average;
    groups.set(pattern, group);
  }
  // A slow call lists the families of its keys.
  const slowestOf = (family: string): number | null =>
    family === UNCLASSIFIED
      ? null
      : (slow?.calls.find(({ families }) => families?.includes(family))?.micros ?? null);
  return [...groups.values()]
    .sort((a, b) => (b.micros ?? 0) - (a.micros ?? 0) || b.calls - a.calls)
    .map(({ family, pattern, calls, micros }) => ({
      pattern,
      family,
      ...counted(calls),
      estimatedMicros: micros === null ? null : Math.round(micros),
      slowestMicros: slowestOf(family),
    }));
};

const summaryOf = ({ ended, elapsedMs, seconds }: Observed, calls: number): string => {
  if (ended.why === 'complete') return `${calls} calls in ${seconds} s`;
  return `stopped after ${rounded(elapsedMs / SECOND, 1)} s of ${seconds} s: ${ended.text}`;
};

const sampleOf = ({ counts, callers }: Observed): Profile['sample'] =>
  [...counts.sample]
    .sort((a, b) => a.at - b.at)
    .map(({ at, source, ...words }) => ({ ...words, ...callers.of(source), at: iso(at) }));

/** The observed calls as a bounded number of rows. */
export const profileOf = (observed: Observed): Profile => {
  const { counts, callers, catalog, times, slow, filter, elapsedMs, listenedMs } = observed;
  const observedSeconds = listenedMs / SECOND;
  const perSecond = (calls: number): number =>
    observedSeconds > 0 ? rounded(calls / observedSeconds, 2) : 0;
  const counted = (calls: number) => ({
    calls,
    perSecond: perSecond(calls),
    share: rounded(counts.calls > 0 ? calls / counts.calls : 0, 4),
  });
  const families = counts.families.sorted();
  const commands = counts.commands.sorted();
  const sources = counts.sources.sorted();
  const clients = regroup(sources, (source) => callers.of(source).client);
  const users = regroup(sources, (source) => callers.of(source).user ?? '');
  const patterns = patternsOf(observed, counted) as NonNullable<Profile['patterns']>;
  const beyond = (rows: readonly { calls: number }[]) =>
    sumOf(rows.slice(MAX_ROWS).map(({ calls }) => calls));
  const rest = (rows: readonly (readonly [string, number, ...unknown[]])[]) =>
    sumOf(rows.slice(MAX_ROWS).map(([, calls]) => calls));
  const unknown: Profile['unknown'] = [];
  if (!observed.isListed) unknown.push('clients');
  if (!times) unknown.push('durations');
  if (!slow) unknown.push('slowLog');
  else if (!slow.complete) unknown.push('olderSlow');
  if (!callers.canTellOwn) unknown.push('own');
  if (observed.costMs === null) unknown.push('cost');
  if (observed.measuredMs === null) unknown.push('processor');
  const ofTime = (ms: number): number => rounded(ms / Math.max(1, elapsedMs), 5);
  return {
    summary: summaryOf(observed, counts.calls),
    filter,
    askedSeconds: observed.seconds,
    elapsedSeconds: rounded(elapsedMs / SECOND, 2),
    observedSeconds: rounded(observedSeconds),
    observedShare: rounded(Math.min(1, listenedMs / Math.max(1, elapsedMs))),
    ended: observed.ended,
    startedAt: iso(observed.startedAt),
    calls: counts.calls,
    allCalls: counts.all,
    ownCalls: callers.canTellOwn ? counts.own : null,
    inScripts: counts.inScripts,
    commandsPerSecond: observedSeconds > 0 ? perSecond(counts.calls) : null,
    cost: {
      statedShare: rounded(observed.share, 4),
      estimatedShare: observed.costMs === null ? null : ofTime(observed.costMs),
      exceeded: observed.costMs === null || observed.costMs > observed.share * elapsedMs,
      measuredShare: observed.measuredMs === null ? null : ofTime(observed.measuredMs),
      receivedBytes: observed.receivedBytes,
    },
    points: Array.from({ length: Math.ceil(elapsedMs / SECOND) }, (_, second) => {
      const ms = observed.listened[second] ?? 0;
      return {
        second,
        perSecond: ms < 20 ? null : rounded(((counts.seconds[second] ?? 0) * SECOND) / ms, 1),
      };
    }),
    families: families.slice(0, MAX_ROWS).map(([id, calls]) => ({
      family: id === NO_KEY ? null : id,
      title: catalog.get(id)?.title ?? null,
      ...counted(calls),
    })),
    commands: commands.slice(0, MAX_ROWS).map(([name, calls]) => {
      const time = times?.get(name);
      return {
        command: name === UNKNOWN_COMMAND ? null : nameOfCommand(name),
        ...counted(calls),
        serverCalls: time?.calls ?? null,
        microsPerCall: microsPerCall(time),
        serverShare: time ? ofTime(time.micros / 1000 / observed.servers) : null,
      };
    }),
    clients: clients
      .slice(0, MAX_ROWS)
      .map(([client, calls, connections]) => ({ client, connections, ...counted(calls) })),
    users: users.slice(0, MAX_ROWS).map(([user, calls]) => ({ user: user || null, ...counted(calls) })),
    patterns: patterns.slice(0, MAX_ROWS),
    slow: slow?.calls.slice(0, MAX_SLOW).map((call) => ({ ...call, at: iso(call.at) })) ?? null,
    sample: sampleOf(observed),
    notShown: {
      families: rest(families) + counts.families.dropped,
      commands: rest(commands) + counts.commands.dropped,
      clients: rest(clients) + counts.sources.dropped,
      patterns: beyond(patterns) + counts.patterns.dropped,
    },
    unknown,
  };
};

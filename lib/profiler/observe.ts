import 'server-only';
import { commandTable } from '@/lib/calls/table';
import { Problem } from '@/lib/errors';
import type { Registry } from '@/lib/keyspace/registry';
import type { Client } from '@/lib/redis/client';
import type { CommandTable } from '@/lib/redis/command-table';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { LatencyGuard } from '@/lib/redis/latency-guard';
import type { MonitorLine } from '@/lib/redis/monitor-line';
import { Listener } from '@/lib/redis/monitor-listener';
import type { RoundTrip } from '@/lib/redis/round-trip';
import {
  type CommandTime,
  readClock,
  readCommandTimes,
  readCounters,
  timesBetween,
} from '@/lib/redis/server-counters';
import type { Node } from '@/lib/redis/topology';
import { pinger } from '@/lib/redis/window';
import { SECOND } from '@/lib/time';
import { CallCounts } from './call-counts';
import { Callers } from './callers';
import { CostBudget, CostMeter } from './cost';
import { Listening, PROBE_MS, pause } from './listening';
import { profileOf } from './result';
import type { Profile, ProfileFilter } from './schema';
import { readSlowCalls } from './slow-calls';

export interface ProfileOptions {
  seconds: number;
  /** Share of the server's time. */
  share: number;
  filter: ProfileFilter;
  signal: AbortSignal;
  onProgress?: (elapsedSeconds: number) => Promise<void>;
  /** PING by default. */
  measure?: () => Promise<RoundTrip>;
}

/** Length of the comparison without MONITOR. */
const COMPARED_MS = 300;
const NOT_LISTED = 'Clients and users are not known: listing them is refused, or there are more than 2,000.';

interface Profiled {
  handle: ConnectionHandle;
  catalog: Registry;
  counts: CallCounts;
  callers: Callers;
  options: ProfileOptions;
  /** Ends the profile on all servers. */
  stop: AbortController;
}

/** Reads MONITOR of one server. Throws its refusal, or the reason why it is unreachable. */
const observeNode = async (
  { handle, counts, callers, options, stop }: Profiled,
  node: Node,
  client: Client,
  tell: (elapsedMs: number) => Promise<void>,
) => {
  const { seconds, share } = options;
  const { signal } = stop;
  const control = client.redis;
  let listener: Listener | null = null;
  try {
    const measure = options.measure ?? pinger(node, control);
    const meter = new CostMeter();
    const guard = new LatencyGuard(handle.config.scan.maxAddedLatencyMs);
    const readMeter = async (listened: boolean) => {
      const reading = await readCounters(control);
      meter.read(reading, listened);
      node.own.commands += 3;
      return reading;
    };
    await readMeter(false);
    await guard.calibrate(measure, () => pause(PROBE_MS, signal));
    const { times: timesBefore } = await readMeter(false);
    const clock = await readClock(control);
    const begun = performance.now();
    const elapsed = () => performance.now() - begun;
    const take = (line: MonitorLine, address: string) => {
      const second = Math.max(0, Math.floor((line.ranAt - clock.server) / SECOND));
      counts.take(line, callers.sourceOf(node, address), second);
    };
    const run = new Listening({
      listen: (mayRead) => {
        listener = new Listener(node, control, take, mayRead);
        return listener;
      },
      budget: new CostBudget(share, seconds),
      guard,
      measure,
      readMeter,
      elapsed,
      clock,
      seconds,
      signal,
      onStep: (elapsedMs) => {
        callers.refresh();
        return tell(elapsedMs);
      },
    });
    const ended = await run.untilEnd();
    const elapsedMs = elapsed();
    if (ended.why !== 'complete') stop.abort();
    const times = timesBetween(timesBefore, await readCommandTimes(control));
    if (!signal.aborted) await pause(COMPARED_MS, signal);
    await readMeter(false);
    return {
      node,
      times,
      ended,
      elapsedMs,
      since: clock.server,
      endedAt: begun + elapsedMs,
      listened: run.listened,
      listenedMs: run.heard.listenedMs,
      receivedBytes: run.heard.bytes,
      costMs: run.costMs,
      measuredMs: meter.measuredMs,
    };
  } finally {
    (listener as Listener | null)?.close();
  }
};
type Heard = Awaited<ReturnType<typeof observeNode>>;

/** The times of all servers; null where one is unknown. */
const timesOf = (all: readonly Heard[]): Map<string, CommandTime> | null => {
  const sums = new Map<string, CommandTime>();
  for (const { times } of all) {
    if (!times) return null;
    for (const [name, { calls, micros }] of times) {
      const before = sums.get(name) ?? { calls: 0, micros: 0 };
      sums.set(name, { calls: before.calls + calls, micros: before.micros + micros });
    }
  }
  return sums;
};

const highest = (values: readonly (number | null)[]): number | null =>
  values.includes(null) ? null : Math.max(...values.map(Number));

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The first reason for the end, with the server's name where there are several. */
const endingOf = (all: readonly Heard[]): Profile['ended'] => {
  const [first] = all.filter(({ ended }) => ended.why !== 'complete').sort((a, b) => a.endedAt - b.endedAt);
  if (!first) return all[0]!.ended;
  const { why, text } = first.ended;
  return { why, text: all.length > 1 && why !== 'stopped' ? `${first.node.id}: ${text}` : text };
};

/** All servers as one: calls and times are sums, costs are those of the server with the highest cost. */
const together = (all: readonly Heard[]) => ({
  times: timesOf(all),
  ended: endingOf(all),
  startedAt: Math.min(...all.map(({ since }) => since)),
  elapsedMs: Math.max(...all.map(({ elapsedMs }) => elapsedMs)),
  listenedMs: meanOf(all.map(({ listenedMs }) => listenedMs)),
  listened: Array.from({ length: Math.max(...all.map(({ listened }) => listened.length)) }, (_, second) =>
    meanOf(all.map(({ listened }) => listened[second] ?? 0)),
  ),
  receivedBytes: all.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0),
  costMs: highest(all.map(({ costMs }) => costMs)),
  measuredMs: highest(all.map(({ measuredMs }) => measuredMs)),
});

const slowCallsOf = async (profiled: Profiled, table: CommandTable, all: readonly Heard[]) => {
  const { handle, catalog, callers, options } = profiled;
  const logs = await Promise.all(
    all.map(({ node, since }) =>
      readSlowCalls(handle, node, { table, catalog, callers, filter: options.filter, since }),
    ),
  );
  if (logs.includes(null)) return null;
  return {
    calls: logs.flatMap((log) => log!.calls).sort((a, b) => b.micros - a.micros),
    complete: logs.every((log) => log!.complete),
  };
};

/**
 * Reads MONITOR of all primaries for some time, in slices where the load is high: MONITOR is closed when it has cost
 * `share` of a server's time. Output that the server wrote in one go, such as a script's calls, may exceed that, and
 * is counted too. What ends it on one server ends it on all. Throws a server's refusal, or the reason why it is
 * unreachable.
 */
export const observeProfile = async (
  { handle, catalog }: { handle: ConnectionHandle; catalog: Registry },
  options: ProfileOptions,
): Promise<Profile> => {
  const { seconds, share, filter, signal } = options;
  const nodes = await knownPrimaries(handle);
  const table = await commandTable(handle);
  const clients = nodes.map((node) => node.dedicated('profile-control'));
  const stop = new AbortController();
  const stopAll = () => stop.abort();
  signal.addEventListener('abort', stopAll, { once: true });
  if (signal.aborted) stopAll();
  try {
    await Promise.all(clients.map((client) => client.ready()));
    const callers = new Callers(handle, nodes);
    const isListed = await callers.learn();
    if (!isListed && (filter.client ?? filter.user) !== undefined) throw new Problem('conflict', NOT_LISTED);
    const counts = new CallCounts({ table, catalog, callers }, filter);
    const profiled = { handle, catalog, counts, callers, options, stop };
    let toldAt = 0;
    const tell = async (elapsedMs: number): Promise<void> => {
      if (elapsedMs - toldAt < SECOND / 2) return;
      toldAt = elapsedMs;
      await options.onProgress?.(Math.min(seconds, elapsedMs / SECOND));
    };
    const running = nodes.map((node, i) => observeNode(profiled, node, clients[i]!, tell));
    // A failing server first ends the others, so that they close their MONITOR.
    for (const observing of running) observing.catch(stopAll);
    const settled = await Promise.allSettled(running);
    const failed = settled.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    const heard = await Promise.all(running);
    await callers.learn();
    const slow = await slowCallsOf(profiled, table, heard);
    return profileOf({
      counts,
      callers,
      catalog,
      slow,
      isListed,
      ...together(heard),
      servers: heard.length,
      seconds,
      filter,
      share,
    });
  } finally {
    signal.removeEventListener('abort', stopAll);
    for (const client of clients) client.close();
  }
};

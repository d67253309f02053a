import 'server-only';
import { commandTable } from '@/lib/calls/table';
import type { Registry } from '@/lib/catalog/registry';
import { Problem } from '@/lib/errors';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { LatencyGuard } from '@/lib/redis/latency-guard';
import type { MonitorLine } from '@/lib/redis/monitor-line';
import { Listener } from '@/lib/redis/monitor-listener';
import type { RoundTrip } from '@/lib/redis/round-trip';
import { readClock, readCommandTimes, readCounters, timesBetween } from '@/lib/redis/server-counters';
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
  /** Of the server's time. */
  share: number;
  filter: ProfileFilter;
  signal: AbortSignal;
  onProgress?: (elapsedSeconds: number) => Promise<void>;
  /** Measured by PING by default. */
  measure?: () => Promise<RoundTrip>;
}

/** What the server does without MONITOR, to compare with. */
const COMPARED_MS = 300;
const NOT_LISTED = 'Clients and users are not known: listing them is refused, or there are more than 2,000.';

/**
 * Reads MONITOR of the connection's first primary for some time, in slices where the load is high: it closes MONITOR
 * where that has cost `share` of the server's time. What the server wrote until then in one go, such as the calls of a
 * script, may be more, and is counted too. Throws the server's refusal, or why it cannot be reached.
 */
export const observeProfile = async (
  { handle, catalog }: { handle: ConnectionHandle; catalog: Registry },
  options: ProfileOptions,
): Promise<Profile> => {
  const { seconds, share, filter, signal } = options;
  const node = handle.topology.primaries()[0]!;
  const table = await commandTable(handle);
  const client = node.dedicated('profile-control');
  let listener: Listener | null = null;
  try {
    await client.ready();
    const control = client.redis;
    const callers = new Callers(handle);
    const isListed = await callers.learn();
    if (!isListed && (filter.client ?? filter.user) !== undefined) throw new Problem('conflict', NOT_LISTED);
    const counts = new CallCounts({ table, catalog, callers }, filter);
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
    let toldAt = 0;
    const tell = async (elapsedMs: number): Promise<void> => {
      if (elapsedMs - toldAt < SECOND / 2) return;
      toldAt = elapsedMs;
      await options.onProgress?.(Math.min(seconds, elapsedMs / SECOND));
    };
    const take = (line: MonitorLine, source: string) =>
      counts.take(line, source, Math.max(0, Math.floor((line.ranAt - clock.server) / SECOND)));
    const run = new Listening({
      listen: (mayRead) => {
        listener = new Listener(node, control, take, mayRead);
        return listener;
      },
      budget: new CostBudget(share, seconds),
      ...{ guard, measure, readMeter, elapsed, clock, seconds, signal },
      onStep: (elapsedMs) => {
        callers.refresh();
        return tell(elapsedMs);
      },
    });
    const ended = await run.untilEnd();
    const elapsedMs = elapsed();
    const times = timesBetween(timesBefore, await readCommandTimes(control));
    if (!signal.aborted) await pause(COMPARED_MS, signal);
    await readMeter(false);
    await callers.learn();
    const slow = await readSlowCalls(handle, { table, catalog, callers, filter, since: clock.server });
    return profileOf({
      ...{ counts, callers, catalog, times, slow, ended, elapsedMs, listened: run.listened },
      ...{ isListed, startedAt: clock.server },
      ...{ listenedMs: run.heard.listenedMs, receivedBytes: run.heard.bytes },
      ...{ seconds, filter, share, costMs: run.costMs, measuredMs: meter.measuredMs },
    });
  } finally {
    (listener as Listener | null)?.close();
    client.close();
  }
};

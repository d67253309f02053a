import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandTable } from '@/lib/calls/table';
import type { Registry } from '@/lib/catalog/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { LatencyGuard } from '@/lib/redis/latency-guard';
import { Listener } from '@/lib/redis/monitor-listener';
import { BEHIND } from '@/lib/redis/monitor-reader';
import type { RoundTrip } from '@/lib/redis/round-trip';
import { readClock, readCommandTimes, readCounters, timesBetween } from '@/lib/redis/server-counters';
import { readyClient } from '@/lib/redis/topology';
import { pinger, readConsoleAddresses } from '@/lib/redis/window';
import { SECOND } from '@/lib/time';
import { CallCounts } from './call-counts';
import { Callers } from './callers';
import { CostMeter, costOf } from './cost';
import { profileOf } from './result';
import type { Profile, ProfileFilter } from './schema';
import { readSlowCalls } from './slow-calls';

export interface ProfileOptions {
  seconds: number;
  /** Of the server's time: it takes no more. */
  share: number;
  filter: ProfileFilter;
  signal: AbortSignal;
  onProgress?: (elapsedSeconds: number) => Promise<void>;
  /** Measured by PING by default. */
  measure?: () => Promise<RoundTrip>;
}

type Ending = Profile['ended'];

const PROBE_MS = 20;
const MIN_SLICE_MS = 100;
/** What the server does without MONITOR, to compare with. */
const COMPARED_MS = 300;
const MAX_WAITING_BYTES = 8 * 2 ** 20;

const COMPLETE: Ending = { why: 'complete', text: null };
const STOPPED: Ending = { why: 'stopped', text: 'it was cancelled' };
const CLOSED: Ending = { why: 'closed', text: 'the server closed the connection' };
const BUFFER: Ending = { why: 'buffer', text: 'the server held more than 8 MiB for the console' };

const pause = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/**
 * Reads MONITOR of the connection's first primary for some time, in slices where the load is high: it never takes more
 * than `share` of the server's time. Throws the server's refusal, or why it cannot be reached.
 */
export const observeProfile = async (
  { handle, catalog }: { handle: ConnectionHandle; catalog: Registry },
  options: ProfileOptions,
): Promise<Profile> => {
  const node = handle.topology.primaries()[0]!;
  const { own, others } = await readConsoleAddresses(
    handle,
    await readyClient(handle.config.id, node, 'read'),
  );
  const table = await commandTable(handle).catch(() => null);
  const client = node.dedicated('profile-control');
  const totalMs = options.seconds * SECOND;
  let listener: Listener | null = null;
  try {
    await client.ready();
    const control = client.redis;
    const { localAddress, localPort } = control.stream as { localAddress?: string; localPort?: number };
    const callers = new Callers([...own, ...others, `${localAddress}:${localPort}`]);
    const isListed = await callers.learn(handle);
    const counts = new CallCounts({ table, catalog, callers }, options.filter);
    const measure = options.measure ?? pinger(handle, control);
    const meter = new CostMeter(options.share, totalMs);
    const guard = new LatencyGuard(handle.config.scan.maxAddedLatencyMs);
    const readMeter = async (listened: boolean, estimated: number) => {
      meter.read(await readCounters(control), listened, estimated);
      handle.own.commands += 2;
    };
    await readMeter(false, 0);
    await guard.calibrate(measure, () => pause(PROBE_MS, options.signal));
    await readMeter(false, 0);
    const timesBefore = await readCommandTimes(control);
    const clock = await readClock(control);
    const begun = performance.now();
    const elapsed = () => performance.now() - begun;
    const heard = new Listener(node, control, (line, source) =>
      counts.take(line, source, Math.max(0, Math.floor((line.ranAt - clock.server) / SECOND))),
    );
    listener = heard;
    const listened: number[] = [];
    const run = new Run({
      ...{ heard, meter, guard, measure, readMeter, elapsed, clock, listened, options },
    });
    const ended = await run.untilEnd();
    const elapsedMs = elapsed();
    const times = timesBetween(timesBefore, await readCommandTimes(control).catch(() => null));
    if (!options.signal.aborted) await pause(COMPARED_MS, options.signal);
    await readMeter(false, run.estimated());
    const slow = await readSlowCalls(handle, { table, catalog, since: clock.server });
    await callers.learn(handle);
    return profileOf({
      ...{ counts, callers, catalog, times, slow, ended, elapsedMs, listened },
      ...{ isListed, hasTable: table !== null, startedAt: clock.server },
      ...{ listenedMs: heard.listenedMs, receivedBytes: heard.bytes },
      ...{ seconds: options.seconds, filter: options.filter, share: options.share },
      ...{ estimatedMs: run.estimated(), measuredMs: meter.measuredMs },
    });
  } finally {
    listener?.close();
    client.close();
  }
};

interface Parts {
  heard: Listener;
  meter: CostMeter;
  guard: LatencyGuard;
  measure: () => Promise<RoundTrip>;
  readMeter: (listened: boolean, estimated: number) => Promise<void>;
  elapsed: () => number;
  clock: { server: number; own: number };
  /** How long MONITOR was read in each second, ms. */
  listened: number[];
  options: ProfileOptions;
}

/** Listens and pauses until the time is over, or until something ends it early. */
class Run {
  private readonly parts: Parts;
  private readAt = 0;
  private toldAt = 0;
  private seenMs = 0;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Cost by calls and bytes, ms. */
  estimated(): number {
    const { heard } = this.parts;
    return costOf(heard.lines, heard.bytes);
  }

  async untilEnd(): Promise<Ending> {
    const { heard, elapsed, options } = this.parts;
    try {
      while (elapsed() < options.seconds * SECOND) {
        const ending = await this.step();
        if (ending) return ending;
        await pause(Math.min(PROBE_MS, Math.max(1, options.seconds * SECOND - elapsed())), options.signal);
      }
      return COMPLETE;
    } finally {
      if (heard.isOpen) await this.leave().catch(() => heard.close());
      this.countSecond();
    }
  }

  private async leave(): Promise<void> {
    const { heard, readMeter } = this.parts;
    await heard.pause();
    await readMeter(true, this.estimated());
  }

  private async step(): Promise<Ending | null> {
    const { heard, meter, guard, measure, readMeter, elapsed, clock, options } = this.parts;
    if (options.signal.aborted) return STOPPED;
    if (heard.isBroken) return CLOSED;
    const spent = meter.spentMs(this.estimated());
    const allowed = meter.allowedMs(elapsed());
    if (!heard.isOpen) {
      const perMs = heard.listenedMs > 0 ? spent / heard.listenedMs : 0;
      if (allowed - spent >= perMs * MIN_SLICE_MS) {
        await readMeter(false, this.estimated());
        await heard.open(clock);
      }
    } else if (spent >= allowed) await this.leave();
    this.countSecond();
    await this.tell();
    if (!heard.isOpen) return null;
    const cut = guard.add(await measure());
    if (cut) return cut;
    if (heard.isBehind()) return BEHIND;
    if (elapsed() - this.readAt < SECOND) return null;
    this.readAt = elapsed();
    await readMeter(true, this.estimated());
    return ((await heard.waitingBytes()) ?? 0) > MAX_WAITING_BYTES ? BUFFER : null;
  }

  /** Adds what was listened to since the last step to the present second. */
  private countSecond(): void {
    const { heard, listened, elapsed } = this.parts;
    const second = Math.floor(elapsed() / SECOND);
    listened[second] = (listened[second] ?? 0) + heard.listenedMs - this.seenMs;
    this.seenMs = heard.listenedMs;
  }

  private async tell(): Promise<void> {
    const { elapsed, options } = this.parts;
    if (elapsed() - this.toldAt < SECOND / 2) return;
    this.toldAt = elapsed();
    await options.onProgress?.(Math.min(options.seconds, this.toldAt / SECOND));
  }
}

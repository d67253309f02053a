import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallCost, Gauge } from './gauge';
import type { RoundTrip } from './round-trip';
import type { ServerLoad } from './server-load';

/** How much load a scan may cause: `scan` in docs/configuration.md. */
export interface ScanLimits {
  /** Keys of one call at 5 µs of the server's time each, so 100 means calls of 0.5 ms. Cheaper work gets more keys. */
  chunk: number;
  /** Pause between calls while the server is busy, ms; 0: unthrottled. */
  pauseMs: number;
  /** Added round-trip latency, ms, from which the scan backs off. */
  maxAddedLatencyMs: number;
}

/** The budget as the interface shows it. */
export interface BudgetState extends ScanLimits {
  /** The current pause, ms: longer than `pauseMs` while backed off. */
  currentPauseMs: number;
  latencyMs: number | null;
  backedOff: boolean;
}

/** The server's time per key of the most expensive ordinary work, ms: type, expiry and size, or a copy. */
const KEY_MS = 0.005;
const DEFAULT_CALL_MS = 0.5;
const CEILING_MS = 250;
/** While backed off, a pause is this multiple of the added latency. */
const REST = 4;
/** Calls at the faster pace are this many times as long. */
const FASTER = 4;
/** Bounds of keys per call, as multiples of `chunk`. */
const [MIN_TIMES, MAX_TIMES] = [0.05, 20];
/**
 * The lower bound where only round trips show what a key costs: on a network, some answers are late whatever the call.
 */
const MIN_TIMES_BY_TRIP = 0.25;
/** Timers wait at least a whole millisecond, so shorter pauses accumulate to half of one first. */
const MIN_PAUSE_MS = 0.5;

/**
 * Runs the calls of all scans of a server one after the other, first come first served, so that many scans cause no
 * more load than one.
 */
export class CallQueue {
  /** When the latest call was answered, by this process's monotonic clock. */
  endedAt = Number.NEGATIVE_INFINITY;
  /** Pauses that were too short to wait for, ms. */
  owedMs = 0;
  /** The server's time of all calls so far, ms. */
  serverMs = 0;
  private last: Promise<unknown> = Promise.resolve();

  take<T>(call: () => Promise<T>): Promise<T> {
    const turn = this.last.then(call);
    const ended = () => {
      this.endedAt = performance.now();
    };
    this.last = turn.then(ended, ended);
    return turn;
  }
}

export interface PaceOptions {
  /** Cuts pauses short. Calls are still made: the caller checks the signal where none should be. */
  signal?: AbortSignal;
  /** Whether a user asked for the faster pace: no pauses, and calls up to four times as long. */
  isFaster?(): boolean;
  /** Keys of the first call, as a multiple of `chunk`; 1 by default. */
  times?: number;
  /** Keys of each call where the budget has no pauses, as a multiple of `chunk`; `times`, but at least 1, by default. */
  unthrottledTimes?: number;
  /** Whether calls skip the queue of the scans, where the budget has no pauses. */
  isBesideScans?: boolean;
}

/** What a call reports about itself. */
export type PacedCall = RoundTrip & {
  /** The server's own time, ms, where known. */
  serverMs?: number;
  /** The number of its keys, where it was unknown before the call. */
  keys?: number;
};

/** The pace of one walk, for one kind of work. */
export interface Pace {
  /** How many keys the next call should have. */
  keys(): number;
  /** Makes a call with that many keys, queued and after a pause. */
  run<T extends PacedCall>(call: () => Promise<T>, keys?: number): Promise<T>;
}

/**
 * Paces the calls of scans on one server. Calls are as large as the server answers in half a millisecond, by the measured
 * cost of a key of each kind of work, and the pause between them is shorter while others use little of the server. While
 * calls take more than `maxAddedLatencyMs` longer than usual, the pause grows with the added latency (up to 250 ms).
 */
export class ScanBudget {
  private readonly gauges = new Map<string, Gauge>();
  private latest: Gauge | null = null;

  /** `queue`: shared by all scans of the server. Without `load` every pause is a full one. */
  constructor(
    readonly limits: ScanLimits,
    private readonly queue = new CallQueue(),
    private readonly load: ServerLoad | null = null,
  ) {}

  /** The pace of one walk. Walks of the same kind share its measured cost. */
  pace(kind: string, options: PaceOptions = {}): Pace {
    const { signal, isFaster, times = 1, unthrottledTimes, isBesideScans } = options;
    const { chunk, pauseMs } = this.limits;
    const queue = isBesideScans && pauseMs === 0 ? new CallQueue() : this.queue;
    let isFirst = true;
    return {
      keys: () => {
        if (pauseMs === 0) return Math.max(1, Math.round(chunk * (unthrottledTimes ?? Math.max(1, times))));
        return this.keysOf(kind, times, isFaster?.() ?? false);
      },
      run: (call, keys = 0) =>
        queue.take(async () => {
          const before = isFaster?.() ?? false;
          if (isFirst) await this.rest(kind, before, signal);
          else await this.pauseBetween(kind, before, signal);
          isFirst = false;
          if (pauseMs > 0) await this.load?.refresh(this.queue.serverMs);
          const done = await call();
          this.record(done, { kind, keys: done.keys ?? keys, isFaster: before });
          return done;
        }),
    };
  }

  /** As `pace`, for calls of a fixed size: returns the function that makes them. It makes none after an abort. */
  walk(signal?: AbortSignal): <T extends RoundTrip>(call: () => Promise<T>) => Promise<T> {
    const { run } = this.pace('fixed', { signal });
    return (call) =>
      run(async () => {
        signal?.throwIfAborted();
        return call();
      });
  }

  /** Pauses between two calls of a walk. */
  pauseBetween(kind: string, isFaster: boolean, signal?: AbortSignal): Promise<void> {
    return this.rest(kind, isFaster, signal);
  }

  /** How long a call should take the server, ms. */
  callMs(isFaster: boolean): number {
    return this.limits.chunk * KEY_MS * (isFaster ? FASTER : 1);
  }

  record(trip: PacedCall, { kind = 'fixed', keys = 0, isFaster = false } = {}): void {
    const gauge = this.gaugeOf(kind);
    this.latest = gauge;
    const cost: CallCost = { trip, keys, serverMs: trip.serverMs };
    // A call that was meant to be longer than the default one is not late.
    const longerMs = Math.max(0, this.callMs(isFaster) - DEFAULT_CALL_MS);
    this.queue.serverMs += gauge.add(cost, this.load?.quickestMs ?? Number.POSITIVE_INFINITY, longerMs);
  }

  private gaugeOf(kind: string): Gauge {
    const gauge = this.gauges.get(kind) ?? new Gauge();
    this.gauges.set(kind, gauge);
    return gauge;
  }

  private keysOf(kind: string, times: number, isFaster: boolean): number {
    const { chunk } = this.limits;
    const scale = isFaster ? FASTER : 1;
    const most = Math.max(MAX_TIMES, times) * chunk * scale;
    const gauge = this.gaugeOf(kind);
    const least = (gauge.isReported ? MIN_TIMES : MIN_TIMES_BY_TRIP) * chunk;
    const fits = gauge.keysWithin(this.callMs(isFaster)) ?? chunk * times;
    return Math.max(1, Math.round(Math.min(most, Math.max(least, fits))));
  }

  private pauseMs(gauge: Gauge | null, isFaster: boolean): number {
    const { pauseMs, maxAddedLatencyMs } = this.limits;
    const usual = isFaster ? 0 : pauseMs;
    const addedMs = gauge?.addedMs ?? 0;
    if (addedMs > maxAddedLatencyMs) return Math.max(usual, Math.min(CEILING_MS, addedMs * REST));
    return usual * (this.load?.pauseShare() ?? 1);
  }

  private async rest(kind: string, isFaster: boolean, signal?: AbortSignal): Promise<void> {
    const { queue } = this;
    const pauseMs = this.pauseMs(this.gauges.get(kind) ?? this.latest, isFaster);
    if (pauseMs === 0 || signal?.aborted) return;
    queue.owedMs = Math.max(0, queue.owedMs + pauseMs - Math.max(0, performance.now() - queue.endedAt));
    if (queue.owedMs < MIN_PAUSE_MS) return;
    const ms = queue.owedMs;
    queue.owedMs = 0;
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }

  state(): BudgetState {
    const pauseMs = this.latest ? this.pauseMs(this.latest, false) : this.limits.pauseMs;
    const latencyMs = this.latest?.latencyMs ?? null;
    return {
      ...this.limits,
      currentPauseMs: Math.round(pauseMs * 10) / 10,
      latencyMs: latencyMs === null ? null : Math.round(latencyMs * 100) / 100,
      backedOff: (this.latest?.addedMs ?? 0) > this.limits.maxAddedLatencyMs,
    };
  }
}

import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { medianOf, nearestTo, type RoundTrip } from './round-trip';

/** How much load a scan may cause (configuration.md, `scan`). */
export interface ScanLimits {
  /** COUNT of one SCAN call. */
  chunk: number;
  /** Pause between calls, ms. */
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

const CEILING_MS = 250;
/** While backed off, a pause is this multiple of the added latency. */
const REST = 4;
/** Round trips the median is taken of: a single slow answer has no effect. */
const RECENT = 7;

const rest = async (ms: number, signal?: AbortSignal): Promise<void> => {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
};

/**
 * Runs the calls of all scans of a server one after the other, first come first served, so that many scans cause no
 * more load than one.
 */
export class CallQueue {
  /** When the latest call was answered, by this process's monotonic clock. */
  endedAt = Number.NEGATIVE_INFINITY;
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

/**
 * Paces the calls of scans on one server. The quickest calls set the baseline latency. While calls take more than
 * `maxAddedLatencyMs` longer, the pause grows with the added latency (up to 250 ms); it shrinks again when the server
 * recovers. Time this process spent on other work does not count as latency. The baseline rises by a thousandth per
 * call, for servers that become slower for good.
 */
export class ScanBudget {
  readonly limits: ScanLimits;
  private baseline: number | null = null;
  private readonly recent: number[] = [];
  private pause: number;
  private readonly queue: CallQueue;

  /** `queue`: shared by all scans of the server. */
  constructor(limits: ScanLimits, queue = new CallQueue()) {
    this.limits = limits;
    this.queue = queue;
    this.pause = limits.pauseMs;
  }

  /**
   * Returns the function that makes the calls of one scan, each queued and after a pause. A scan that begins waits only
   * for the rest of the pause after another scan's call.
   */
  walk(signal?: AbortSignal): <T extends RoundTrip>(call: () => Promise<T>) => Promise<T> {
    let last: RoundTrip | null = null;
    return (call) =>
      this.queue.take(async () => {
        if (last) await this.spend(last, signal);
        else await rest(this.queue.endedAt + this.pause - performance.now(), signal);
        signal?.throwIfAborted();
        const done = await call();
        last = done;
        return done;
      });
  }

  /** Records the round trip of one chunk, then pauses. */
  async spend(trip: RoundTrip, signal?: AbortSignal): Promise<void> {
    this.record(trip);
    await rest(this.pause, signal);
  }

  private record(trip: RoundTrip): void {
    this.baseline = this.baseline === null ? trip.most : Math.min(this.baseline * 1.001, trip.most);
    this.recent.push(nearestTo(this.baseline, trip));
    if (this.recent.length > RECENT) this.recent.shift();
    const added = medianOf(this.recent) - this.baseline;
    const { pauseMs, maxAddedLatencyMs } = this.limits;
    const late = added > maxAddedLatencyMs;
    this.pause = late ? Math.max(pauseMs, Math.min(CEILING_MS, added * REST)) : pauseMs;
  }

  state(): BudgetState {
    return {
      ...this.limits,
      currentPauseMs: Math.round(this.pause * 10) / 10,
      latencyMs: this.recent.length === 0 ? null : Math.round(medianOf(this.recent) * 100) / 100,
      backedOff: this.pause > this.limits.pauseMs,
    };
  }
}

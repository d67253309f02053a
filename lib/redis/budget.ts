import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { medianOf, nearestTo, type RoundTrip } from './round-trip';

/** How gently a scan goes (configuration.md, `scan`). */
export interface ScanLimits {
  /** Keys asked for in one SCAN call. */
  chunk: number;
  /** Pause between calls, ms. */
  pauseMs: number;
  /** Added round-trip latency, ms, from which the scan backs off. */
  maxAddedLatencyMs: number;
}

/** The budget as the interface shows it. */
export interface BudgetState extends ScanLimits {
  /** The pause in use now, ms: above `pauseMs` while backed off. */
  currentPauseMs: number;
  latencyMs: number | null;
  backedOff: boolean;
}

const CEILING_MS = 250;
/** While answers are late the scan rests four times as long as they are late by. */
const REST = 4;
/** Round trips looked at: one slow answer in the middle says nothing, most of them being slow does. */
const RECENT = 7;

const rest = async (ms: number, signal?: AbortSignal): Promise<void> => {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
};

/** Walks take turns in the order in which they ask, a call each: many of them send a server no more than one does. */
export class CallQueue {
  /** When the latest call was answered, by this process's clock. */
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
 * Spends a scan's time on the server. The quickest calls set the baseline latency; while calls take more than
 * `maxAddedLatencyMs` longer the pause grows with what is added (up to 250 ms), and it is short again when the
 * server recovers. Time in which this process was busy itself is no latency of the server's. The baseline rises by a thousandth a call, for servers that become slower for good.
 */
export class ScanBudget {
  readonly limits: ScanLimits;
  private baseline: number | null = null;
  private readonly recent: number[] = [];
  private pause: number;
  private readonly queue: CallQueue;

  /** `turns`: of the server, for all that is walked through there. */
  constructor(limits: ScanLimits, queue = new CallQueue()) {
    this.limits = limits;
    this.queue = queue;
    this.pause = limits.pauseMs;
  }

  /**
   * What makes the calls of one walk, each in its turn and after a pause. A walk that begins waits only for what is left
   * of the pause after somebody else's call.
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

  /** Notes the round trip of one chunk and waits as long as the budget asks. */
  async spend(trip: RoundTrip, signal?: AbortSignal): Promise<void> {
    this.note(trip);
    await rest(this.pause, signal);
  }

  private note(trip: RoundTrip): void {
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

import 'server-only';
import { medianOf, nearestTo, type RoundTrip } from './round-trip';

/** The medians use this many calls, so a single slow answer has no effect. */
const RECENT = 7;
/** The next call has at most this many times the keys of the recent ones. */
const GROWTH = 2;

export interface CallCost {
  trip: RoundTrip;
  /** Keys of the call; 0 where they do not determine its cost. */
  keys: number;
  /** The server's own time, ms, where known. */
  serverMs?: number | undefined;
}

const push = (recent: number[], value: number): void => {
  recent.push(value);
  if (recent.length > RECENT) recent.shift();
};

const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/**
 * The usual duration of one kind of call, and its cost per key. The quickest call sets the usual duration, which rises
 * by a thousandth per call, for servers that become permanently slower. Time this process spent on other work is not
 * counted.
 */
export class Gauge {
  /** Whether the server reports its own time; otherwise it is derived from round trips. */
  isReported = false;
  private usualMs: number | null = null;
  private readonly durations: number[] = [];
  private readonly sizes: number[] = [];
  private readonly costs: number[] = [];

  /**
   * Records a call; returns how long the server certainly worked on it, ms. `quickestMs`: the round trip of a call
   * without work; `longerMs`: how much longer than usual this call may take.
   */
  add({ trip, keys, serverMs }: CallCost, quickestMs: number, longerMs: number): number {
    this.addDuration(trip, longerMs);
    this.isReported = serverMs !== undefined;
    const spentMs = serverMs ?? Math.max(0, trip.least - Math.min(quickestMs, this.usualMs!));
    if (keys > 0) {
      push(this.sizes, keys);
      push(this.costs, spentMs);
    }
    return spentMs;
  }

  private addDuration({ least, most }: RoundTrip, longerMs: number): void {
    const usual = this.usualMs ?? most;
    const meant = (ms: number): number => (ms - longerMs > usual ? ms - longerMs : Math.min(ms, usual));
    const trip = longerMs === 0 ? { least, most } : { least: meant(least), most: meant(most) };
    this.usualMs = this.usualMs === null ? trip.most : Math.min(this.usualMs * 1.001, trip.most);
    push(this.durations, nearestTo(this.usualMs, trip));
  }

  get latencyMs(): number | null {
    return this.durations.length === 0 ? null : medianOf(this.durations);
  }

  /** How much slower than usual calls are, ms. */
  get addedMs(): number {
    return this.usualMs === null ? 0 : medianOf(this.durations) - this.usualMs;
  }

  /** How many keys the server can do within this time; null while nothing is known. */
  keysWithin(ms: number): number | null {
    if (this.sizes.length === 0) return null;
    // Summed over all calls, because a call with few keys costs more per key.
    const keyMs = sumOf(this.costs) / sumOf(this.sizes);
    return Math.min(ms / keyMs, Math.max(...this.sizes) * GROWTH);
  }
}

import 'server-only';
import { medianOf, nearestTo, type RoundTrip } from './round-trip';

/** Round trips per median. On a busy machine about every fifth is late for reasons other than the server. */
const SAMPLES = 15;
const MAX_CONSECUTIVE_LATE = 5;
/** About two seconds of medians that cannot be judged: the effect of the window is unknown then. */
const MAX_CONSECUTIVE_UNJUDGED = 75;
/** Total delay of consecutive late answers that ends the window immediately; medians would react too slowly. */
const MAX_LATE_MS = 500;

export interface Cut {
  why: 'late' | 'busy' | 'behind' | 'stopped';
  /** Shown to users. */
  text: string;
}

const lateBy = (ms: number): Cut => ({ why: 'late', text: `latency rose by ${ms.toFixed(1)} ms` });

/** Reports when a server's latency rises above the allowed value, however busy this process is. */
export class LatencyGuard {
  private readonly before: number[] = [];
  private readonly recent: RoundTrip[] = [];
  private lateInARow: number[] = [];
  private late = 0;
  private unjudged = 0;

  constructor(private readonly maxAddedMs: number) {}

  /** Measures the usual latency before the window opens, with the method used during it. */
  async calibrate(measure: () => Promise<RoundTrip>, pause: () => Promise<unknown>): Promise<void> {
    for (; this.before.length < SAMPLES; await pause()) this.before.push((await measure()).most);
  }

  /** Adds one round trip. Returns why the window must end, or null. */
  add(trip: RoundTrip): Cut | null {
    this.recent.push(trip);
    if (this.recent.length > SAMPLES) this.recent.shift();
    const usual = medianOf(this.before);
    return this.checkStall(nearestTo(usual, trip) - usual) ?? this.checkMedians(usual);
  }

  private checkStall(addedMs: number): Cut | null {
    this.lateInARow = addedMs > this.maxAddedMs ? [...this.lateInARow, addedMs] : [];
    const totalMs = this.lateInARow.reduce((sum, ms) => sum + ms, 0);
    return this.lateInARow.length > 1 && totalMs > MAX_LATE_MS ? lateBy(medianOf(this.lateInARow)) : null;
  }

  private checkMedians(usual: number): Cut | null {
    if (this.recent.length < SAMPLES) return null;
    const added = medianOf(this.recent.map((trip) => nearestTo(usual, trip))) - usual;
    const isLate = added > this.maxAddedMs;
    const isUnjudged = !isLate && medianOf(this.recent.map(({ most }) => most)) - usual > this.maxAddedMs;
    this.late = isLate ? this.late + 1 : 0;
    this.unjudged = isUnjudged ? this.unjudged + 1 : 0;
    if (this.late === MAX_CONSECUTIVE_LATE) return lateBy(added);
    if (this.unjudged === MAX_CONSECUTIVE_UNJUDGED)
      return { why: 'busy', text: 'the console was too busy to measure latency' };
    return null;
  }
}

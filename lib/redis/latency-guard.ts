import 'server-only';
import { medianOf, nearestTo, type RoundTrip } from './round-trip';

/** Round trips in a median: on a busy machine every fifth comes late by itself, half of them do not. */
const SAMPLES = 15;
const MAX_CONSECUTIVE_LATE = 5;
/** Medians in a row, about two seconds: then nobody can tell any more what the window does. */
const MAX_CONSECUTIVE_BLIND = 75;
/** Answers in a row that are late by more together: medians would take too long to tell. */
const MAX_LATE_MS = 500;

export interface Cut {
  why: 'late' | 'busy' | 'behind' | 'stopped';
  /** For people. */
  text: string;
}

const lateBy = (ms: number): Cut => ({ why: 'late', text: `latency rose by ${ms.toFixed(1)} ms` });

/** Tells when a server answers later than before by more than it may, however busy this process is itself. */
export class LatencyGuard {
  private readonly maxAddedMs: number;
  private readonly before: number[] = [];
  private readonly recent: RoundTrip[] = [];
  private lateInARow: number[] = [];
  private late = 0;
  private blind = 0;

  constructor(maxAddedMs: number) {
    this.maxAddedMs = maxAddedMs;
  }

  /** Round trips before anything is asked of the server are what it is measured by, taken as those in the window are. */
  async settle(measure: () => Promise<RoundTrip>, pause: () => Promise<unknown>): Promise<void> {
    for (; this.before.length < SAMPLES; await pause()) this.before.push((await measure()).most);
  }

  /** Takes one more; why the window must end, else null. */
  note(trip: RoundTrip): Cut | null {
    this.recent.push(trip);
    if (this.recent.length > SAMPLES) this.recent.shift();
    const usual = medianOf(this.before);
    return this.noteStandstill(nearestTo(usual, trip) - usual) ?? this.noteMedians(usual);
  }

  private noteStandstill(addedMs: number): Cut | null {
    this.lateInARow = addedMs > this.maxAddedMs ? [...this.lateInARow, addedMs] : [];
    const all = this.lateInARow.reduce((sum, ms) => sum + ms, 0);
    return this.lateInARow.length > 1 && all > MAX_LATE_MS ? lateBy(medianOf(this.lateInARow)) : null;
  }

  private noteMedians(usual: number): Cut | null {
    if (this.recent.length < SAMPLES) return null;
    const added = medianOf(this.recent.map((one) => nearestTo(usual, one))) - usual;
    const isLate = added > this.maxAddedMs;
    const isBlind = !isLate && medianOf(this.recent.map(({ most }) => most)) - usual > this.maxAddedMs;
    this.late = isLate ? this.late + 1 : 0;
    this.blind = isBlind ? this.blind + 1 : 0;
    if (this.late === MAX_CONSECUTIVE_LATE) return lateBy(added);
    if (this.blind === MAX_CONSECUTIVE_BLIND)
      return { why: 'busy', text: 'the console was too busy to measure latency' };
    return null;
  }
}

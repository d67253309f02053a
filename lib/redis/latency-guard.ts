import 'server-only';

const BASELINE_SAMPLES = 9;
/** One late answer says nothing; two of three do. */
const RECENT = 3;

const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Tells when a server answers later than before by more than it may: round trips in ms. */
export class LatencyGuard {
  private readonly most: number;
  private readonly before: number[] = [];
  private readonly recent: number[] = [];

  constructor(maxAddedMs: number) {
    this.most = maxAddedMs;
  }

  /** Round trips before anything is asked of the server are what it is measured by. */
  async settle(measure: () => Promise<number>): Promise<void> {
    while (this.before.length < BASELINE_SAMPLES) this.before.push(await measure());
  }

  /** Takes one more; what is added to the baseline, once that is beyond what may be, else null. */
  note(roundTripMs: number): number | null {
    this.recent.push(roundTripMs);
    if (this.recent.length > RECENT) this.recent.shift();
    if (this.recent.length < RECENT) return null;
    const added = medianOf(this.recent) - medianOf(this.before);
    return added > this.most ? added : null;
  }
}

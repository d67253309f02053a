/** One measurement of a bench; `scripts/bench.mjs` prints it, and fails where `held` is false. */
export interface BenchRow {
  name: string;
  ms?: number;
  /** Or a rate per second. */
  perSecond?: number;
  baselineName?: string;
  baselineMs?: number;
  baselinePerSecond?: number;
  /** How many times as fast as the baseline. */
  ratio?: number;
  /** The limit that must hold, in words. */
  limit?: string;
  held?: boolean;
  note?: string;
}

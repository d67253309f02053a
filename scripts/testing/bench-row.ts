/** What a bench reports of one measurement; `scripts/bench.mjs` prints it, and fails where `held` is false. */
export interface BenchRow {
  name: string;
  /** How long it took. */
  ms?: number;
  /** Or how many a second. */
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

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

/** A time with its limit, ms. */
export const within = (name: string, ms: number, most: number, note?: string): BenchRow => ({
  name,
  ms,
  limit: `≤ ${most} ms`,
  held: ms <= most,
  ...(note !== undefined && { note }),
});

/** How long some work takes, ms. */
export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

import type { Sample } from './gaps';

/** The share of a range that was sampled, 0–1. */
export const coverageOf = (samples: readonly Sample[], from: number, to: number, stepMs: number): number =>
  to > from
    ? Math.min(1, (samples.filter(({ at }) => at >= from && at <= to).length * stepMs) / (to - from))
    : 0;

const MIN_SHOWN_MS = 5 * 60_000;

/** The start of a chart's axis: of the range, or of a younger history; the axis covers at least five minutes. */
export const shownFrom = (samples: readonly Sample[], from: number, to: number): number =>
  Math.max(from, Math.min(samples[0]?.at ?? from, to - MIN_SHOWN_MS));

import type { Sample } from './gaps';

/** The share of a range that was sampled, 0–1. */
export const coverageOf = (samples: readonly Sample[], from: number, to: number, stepMs: number): number =>
  to > from
    ? Math.min(1, (samples.filter(({ at }) => at >= from && at <= to).length * stepMs) / (to - from))
    : 0;

const MIN_SHOWN_MS = 5 * 60_000;

/** Start of a chart's axis: of the range, or of the history where that is younger; the axis has at least five minutes. */
export const shownFrom = (samples: readonly Sample[], from: number, to: number): number =>
  Math.max(from, Math.min(samples[0]?.at ?? from, to - MIN_SHOWN_MS));

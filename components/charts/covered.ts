import type { Sample } from './gaps';

/** A value that holds for all of [at, to): ISO times. Points are in ascending order and do not overlap. */
export interface CoveringPoint {
  at: string;
  to: string;
}

const MIN_GAP_MS = 5 * 60_000;

interface Covered<P> {
  from: number;
  to: number;
  point: P;
}

/**
 * Points with the time they cover, in epoch ms. A point also covers a short gap after it, because the server joins
 * windows that are this close; a longer gap stays.
 */
export const coveredTimes = <P extends CoveringPoint>(points: readonly P[], stepMs: number): Covered<P>[] =>
  points.map((point, i) => {
    const next = points[i + 1];
    const to = Date.parse(point.to);
    const nextFrom = next ? Date.parse(next.at) : Number.POSITIVE_INFINITY;
    const joined = nextFrom - to <= Math.max(MIN_GAP_MS, 2 * stepMs);
    return { from: Date.parse(point.at), to: joined ? nextFrom : to, point };
  });

export type Fields = Readonly<Record<string, number | null>>;

export interface CoveredLine<P> {
  points: readonly P[];
  /** The fields of a sample from a point; from null where no point covers the time. */
  fields: (point: P | null) => Fields;
}

/**
 * Lines of covering points as samples for a stepped chart: one sample at each beginning and end of a point, with every
 * line's value. A millisecond after an end without a next point begins a gap.
 */
export const steppedSamples = <P extends CoveringPoint>(
  lines: readonly CoveredLine<P>[],
  stepMs: number,
): Sample[] => {
  const covered = lines.map(({ points, fields }) => ({ spans: coveredTimes(points, stepMs), fields }));
  const times = new Set<number>();
  for (const { spans } of covered)
    spans.forEach(({ from, to }, i) => {
      times.add(from);
      if (spans[i + 1]?.from !== to) times.add(to).add(to + 1);
    });
  const samples = [...times].sort((a, b) => a - b).map((at) => ({ at }) as Sample);
  for (const { spans, fields } of covered) {
    let i = 0;
    for (const sample of samples) {
      // The next point begins where this one ends, and has the sample at that time.
      while (spans[i] && (sample.at > spans[i]!.to || spans[i + 1]?.from === sample.at)) i++;
      const span = spans[i];
      Object.assign(sample, fields(span && sample.at >= span.from ? span.point : null));
    }
  }
  return samples;
};

/** Values at `count` equal steps of [from, to), for a sparkline; null where no point covers the time. */
export const valuesAtSteps = <P extends CoveringPoint>(
  points: readonly P[],
  value: (point: P) => number | null,
  { from, to, stepMs, count }: { from: number; to: number; stepMs: number; count: number },
): (number | null)[] => {
  const spans = coveredTimes(points, stepMs);
  return Array.from({ length: count }, (_, i) => {
    const at = from + ((i + 0.5) / count) * (to - from);
    const span = spans.find((covered) => at >= covered.from && at < covered.to);
    return span ? value(span.point) : null;
  });
};

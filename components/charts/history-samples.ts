import type { Point } from '@/lib/history/schema';
import type { Sample } from './gaps';
import { HISTORY_FIELDS, type HistoryField } from './measures';

export const toSample = (point: Point): Sample => ({
  at: Date.parse(point.at),
  ...Object.fromEntries(HISTORY_FIELDS.map((field) => [field, point[field]])),
});

/** The previous period: `shiftMs` earlier, possibly in coarser steps. */
export interface Before {
  points: readonly Point[];
  stepSeconds: number;
  shiftMs: number;
}

/** The sample field with the previous period's value. */
export const previousId = (field: HistoryField): string => `before-${field}`;

/**
 * Samples with the previous period's values added. Times at which only the previous period was observed get a sample
 * too. A coarser step of the previous period applies to each sample it covers.
 */
export const withPrevious = (
  samples: readonly Sample[],
  { points, stepSeconds, shiftMs }: Before,
  stepMs: number,
): Sample[] => {
  const coarse = Math.max(stepSeconds * 1000, stepMs);
  const nothing = Object.fromEntries(HISTORY_FIELDS.map((field) => [field, null]));
  const rows = new Map<number, Sample>(samples.map((sample) => [sample.at, sample]));
  const shift = Math.round(shiftMs / stepMs) * stepMs;
  for (const point of points) {
    const then = Object.fromEntries(HISTORY_FIELDS.map((field) => [previousId(field), point[field]]));
    const start = Date.parse(point.at) + shift;
    for (let at = start; at < start + coarse; at += stepMs)
      rows.set(at, { ...nothing, ...(rows.get(at) ?? {}), ...then, at } as Sample);
  }
  return [...rows.values()].sort((a, b) => a.at - b.at);
};

/** Samples with the misses of each second added; `misses` counts those of a step. */
export const withMissRates = (samples: readonly Sample[], stepMs: number): Sample[] =>
  samples.map((sample) => ({
    ...sample,
    missesPerSecond: typeof sample.misses === 'number' ? (sample.misses * 1000) / stepMs : null,
  }));

/** One figure for a range: a rate from sums of counts, a level as its mean; null where nothing was observed. */
export const figureOf = (points: readonly Point[], field: HistoryField): number | null => {
  const total = (id: 'hits' | 'misses'): number => points.reduce((sum, point) => sum + point[id], 0);
  if (field === 'hitRate') {
    const lookups = total('hits') + total('misses');
    return lookups > 0 ? total('hits') / lookups : null;
  }
  if (points.length === 0) return null;
  if (field === 'hits' || field === 'misses') return total(field);
  const known = points.map((point) => point[field]).filter((value) => value !== null);
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
};

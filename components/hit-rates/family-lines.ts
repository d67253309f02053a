import { type CoveredLine, steppedSamples } from '@/components/charts/covered';
import type { StyleOf } from '@/components/charts/family-styles';
import type { Sample } from '@/components/charts/gaps';
import type { Series } from '@/components/charts/series';
import type { HitRatePoint } from '@/lib/hit-rates/schema';
import type { RateRow } from './rows';

/** More lines on one chart cannot be followed. */
export const MAX_LINES = 6;
/** Drawn until the reader chooses others. */
const DEFAULT_LINES = 3;

/** `lines=none`: every line was hidden. */
const NONE = 'none';

const hasRate = ({ points }: RateRow): boolean => points.some(({ hitRate }) => hitRate !== null);

/** The families that have a line: with at least one point of enough look-ups. */
export const drawable = (rows: readonly RateRow[]): RateRow[] => rows.filter(hasRate);

/** The family ids of an address (`a,b`), or those with most misses where it names none. `rows`: most misses first. */
export const chosenOf = (text: string, rows: readonly RateRow[]): string[] => {
  if (text === NONE) return [];
  const ids = drawable(rows).map(({ family }) => family);
  const named = text.split(',').filter((family) => ids.includes(family));
  return named.length > 0 ? named.slice(0, MAX_LINES) : ids.slice(0, DEFAULT_LINES);
};

/** The address after a line was shown or hidden. The oldest choice makes room for one more than fit. */
export const toggled = (family: string, chosen: readonly string[]): string => {
  const next = chosen.includes(family)
    ? chosen.filter((each) => each !== family)
    : [...chosen, family].slice(-MAX_LINES);
  return next.length > 0 ? next.join(',') : NONE;
};

const fieldsOf = (family: string) => ({ low: `${family}:low`, high: `${family}:high`, n: `${family}:n` });

/** `detail` says what the tooltip adds to a rate: its error, and how many look-ups it rests on. */
export const linesOf = (
  families: readonly string[],
  rows: readonly RateRow[],
  styleOf: StyleOf,
  detail: (n: number, error: number | null) => string,
): Series[] =>
  families.map((family) => {
    const { low, high, n } = fieldsOf(family);
    return {
      id: family,
      name: rows.find((row) => row.family === family)?.title ?? family,
      ...styleOf(family),
      band: { low, high },
      detail: (sample) => {
        const [lookups, rate, bottom, top] = [sample[n], sample[family], sample[low], sample[high]];
        if (typeof lookups !== 'number') return null;
        const known = typeof rate === 'number' && typeof top === 'number' && typeof bottom === 'number';
        return detail(lookups, known ? Math.max(top - rate, rate - bottom) : null);
      },
    };
  });

const pointFields = (family: string) => {
  const { low, high, n } = fieldsOf(family);
  return (point: HitRatePoint | null) => {
    const { hitRate = null, error = null } = point ?? {};
    const known = hitRate !== null && error !== null;
    return {
      [family]: hitRate,
      [low]: known ? Math.max(0, hitRate - error) : null,
      [high]: known ? Math.min(1, hitRate + error) : null,
      [n]: point ? point.n : null,
    };
  };
};

/** Samples with each chosen family's rate, the ends of its error band and its look-ups; null in gaps. */
export const samplesOf = (chosen: readonly string[], rows: readonly RateRow[], stepMs: number): Sample[] =>
  steppedSamples(
    chosen.map(
      (family): CoveredLine<HitRatePoint> => ({
        points: rows.find((row) => row.family === family)?.points ?? [],
        fields: pointFields(family),
      }),
    ),
    stepMs,
  );

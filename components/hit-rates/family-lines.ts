import type { Sample } from '@/components/charts/gaps';
import type { Series } from '@/components/charts/series';
import type { RateRow } from './rows';

/** As many as the palette has colours. */
export const MAX_LINES = 5;

/** The families of an address; without any those with most misses a second. `rows` are worst first. */
export const chosenOf = (text: string, rows: readonly RateRow[]): string[] => {
  const drawn = rows.filter(({ points }) => points.length > 0).map(({ family }) => family);
  const asked = text.split(',').filter((family) => drawn.includes(family));
  return (asked.length > 0 ? asked : drawn).slice(0, MAX_LINES);
};

/** Whether any family has rates at more than one point in time: one is no line. */
export const isLine = (rows: readonly RateRow[]): boolean =>
  rows.some(({ points }) => points.filter(({ hitRate }) => hitRate !== null).length > 1);

export const linesOf = (chosen: readonly string[], rows: readonly RateRow[]): Series[] =>
  chosen.map((family, i) => ({
    id: family,
    name: rows.find((row) => row.family === family)?.title ?? family,
    color: (i + 1) as Series['color'],
  }));

/** Samples with a field for each chosen family; null where nothing of it was looked up. */
export const samplesOf = (chosen: readonly string[], rows: readonly RateRow[]): Sample[] => {
  const samples = new Map<number, Sample>();
  const nothing = Object.fromEntries(chosen.map((family) => [family, null]));
  for (const family of chosen)
    for (const { at, hitRate } of rows.find((row) => row.family === family)?.points ?? []) {
      const time = Date.parse(at);
      const sample = samples.get(time) ?? ({ ...nothing, at: time } as Sample);
      samples.set(time, { ...sample, [family]: hitRate, at: time } as Sample);
    }
  return [...samples.values()].sort((a, b) => a.at - b.at);
};

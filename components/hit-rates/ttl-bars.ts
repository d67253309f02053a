import type { BarOf } from '@/components/charts/bar-chart';
import type { Result } from '@/lib/contract';
import type { familyContracts } from '@/lib/families/schema';

export type FamilyTtlFigures = Result<typeof familyContracts.ttl>;

/** Bins of remaining TTL, up to the last one with keys. */
export const remainingBars = (
  { remaining }: FamilyTtlFigures,
  name: (fromSeconds: number, toSeconds: number | null) => string,
): BarOf[] => {
  const last = remaining.findLastIndex(({ keys }) => keys > 0);
  return remaining
    .slice(0, last + 1)
    .map(({ fromSeconds, toSeconds, keys }) => ({ name: name(fromSeconds, toSeconds), value: keys }));
};

export interface Expiry {
  /** Epoch ms. */
  at: number;
  /** Length of a bar, ms. */
  width: number;
  keys: number;
}

const MAX_BARS = 48;
/** Round lengths of a bar, seconds. */
const WIDTHS = [10, 30, 60, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800, 2_592_000];

/**
 * Expiry times in bars of equal length. The server's bins get wider the later they are; drawn as they are, they would
 * look like steps in the data. All keys of a bin count at its start.
 */
export const expiryBars = ({ expiries }: FamilyTtlFigures): Expiry[] => {
  if (expiries.length === 0) return [];
  const starts = expiries.map(({ at }) => Date.parse(at));
  const [first, last] = [Math.min(...starts), Math.max(...starts)];
  const widest = Math.max(...expiries.map(({ seconds }) => seconds));
  const fits = (seconds: number): boolean => seconds >= widest && (last - first) / 1000 / seconds < MAX_BARS;
  const width = (WIDTHS.find(fits) ?? WIDTHS.at(-1)!) * 1000;
  const bars = new Map<number, number>();
  const binOf = (at: number): number => Math.floor(at / width) * width;
  for (let at = binOf(first); at <= last; at += width) bars.set(at, 0);
  expiries.forEach(({ keys }, i) => {
    const bin = binOf(starts[i]!);
    bars.set(bin, (bars.get(bin) ?? 0) + keys);
  });
  return [...bars].map(([at, keys]) => ({ at, width, keys }));
};

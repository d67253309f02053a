import 'server-only';
import { z } from 'zod';
import { REMAINING } from '@/lib/history/family-ttls';
import { SECOND } from '@/lib/time';
import type { Distribution, HistogramBin } from './schema';

/** Fine bins per doubling: a bin is 9 % wide. */
const PER_DOUBLING = 8;
/** The bin of 2⁵³, the largest number that is exact. */
const MAX_FINE = 53 * PER_DOUBLING + 1;

/** Upper bounds of the shown bins, which are coarser than the fine ones. */
export const BOUNDS = {
  bytes: [6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28].map((power) => 2 ** power),
  length: [1, 2, 4, 8, 16, 64, 256, 1024, 4096, 16_384, 65_536, 2 ** 18, 2 ** 20, 2 ** 22, 2 ** 24],
  idle: REMAINING.map((ms) => ms / SECOND),
} as const;

/** Contiguous bins from the first to the last non-empty one. */
export const shownBins = (bounds: readonly number[], counts: readonly number[]): HistogramBin[] => {
  const bins = counts.map((keys, i) => ({ from: bounds[i - 1] ?? 0, to: bounds[i] ?? null, keys }));
  const first = counts.findIndex((keys) => keys > 0);
  return first < 0 ? [] : bins.slice(first, counts.findLastIndex((keys) => keys > 0) + 1);
};

/** A spread that is stored half-way: the added numbers, and the non-empty fine bins. */
export const storedSpread = z.object({
  of: z.number(),
  max: z.number(),
  coarse: z.array(z.number()),
  fine: z.array(z.tuple([z.number(), z.number()])),
});
type StoredSpread = z.output<typeof storedSpread>;

/** The distribution of numbers in bins: its memory is independent of how many were added. */
export class Spread {
  /** How many numbers were added. */
  of = 0;
  private max = 0;
  private readonly coarse: number[];
  private readonly fine = new Float64Array(MAX_FINE + 1);
  private readonly bounds: readonly number[];

  constructor(kind: keyof typeof BOUNDS, stored?: StoredSpread) {
    this.bounds = BOUNDS[kind];
    this.coarse = this.bounds.map(() => 0).concat(0);
    if (!stored || stored.coarse.length !== this.coarse.length) return;
    ({ of: this.of, max: this.max } = stored);
    this.coarse = [...stored.coarse];
    for (const [bin, keys] of stored.fine) this.fine[Math.min(bin, MAX_FINE)] = keys;
  }

  /** `value`: an integer from 0. */
  add(value: number): void {
    this.of += 1;
    if (value > this.max) this.max = value;
    let bin = 0;
    while (bin < this.bounds.length && value >= this.bounds[bin]!) bin += 1;
    this.coarse[bin]! += 1;
    this.fine[value < 1 ? 0 : 1 + Math.floor(Math.log2(value) * PER_DOUBLING)]! += 1;
  }

  /** The largest integer of the fine bin in which this share of the values is reached. */
  private percentile(share: number): number {
    let left = Math.ceil(this.of * share);
    for (const [bin, keys] of this.fine.entries()) {
      left -= keys;
      if (left <= 0) return bin === 0 ? 0 : Math.min(this.max, Math.ceil(2 ** (bin / PER_DOUBLING)) - 1);
    }
    return this.max;
  }

  /** Null where nothing was added. */
  finish(): Distribution | null {
    const { of, max } = this;
    if (of === 0) return null;
    const histogram = shownBins(this.bounds, this.coarse);
    return { of, p50: this.percentile(0.5), p99: this.percentile(0.99), max, histogram };
  }

  stored(): StoredSpread {
    const fine = [...this.fine.entries()].filter(([, keys]) => keys > 0);
    return { of: this.of, max: this.max, coarse: this.coarse, fine };
  }
}

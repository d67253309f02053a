import 'server-only';
import type { FamilySums } from './spans';

/** Student's t for 95 % by degrees of freedom, 1 to 10; beyond that an approximation with an error below 1 %. */
const T95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
const t95 = (freedom: number): number => T95[freedom - 1] ?? 1.96 + 2.6 / freedom;

/** Half width of Wilson's interval, which is also valid for rates of 0 and 1. */
const wilson = (rate: number, n: number): number => {
  const z2 = 1.96 ** 2;
  return (1.96 * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n))) / (1 + z2 / n);
};

/**
 * Half width of the 95 % interval of a hit rate from windows. Look-ups within a window are correlated, so the windows
 * are the sample: this is the error of a ratio over clusters, and at least that of independent look-ups.
 */
export const errorOf = ([hits, misses, windows, hh, hn, nn]: FamilySums): number | null => {
  const n = hits + misses;
  if (n === 0) return null;
  const rate = hits / n;
  const independent = wilson(rate, n);
  if (windows < 2) return Math.min(1, independent);
  const squares = Math.max(0, hh - 2 * rate * hn + rate * rate * nn);
  const between = t95(windows - 1) * (Math.sqrt((windows * squares) / (windows - 1)) / n);
  return Math.min(1, Math.max(independent, between));
};

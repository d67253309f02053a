import type { Sample } from '@/components/charts/gaps';
import { DAY } from '@/lib/time';

/** The reports of the history as samples of a chart, which needs the oldest first. */
export const oldestFirst = <Item extends { at: string }>(
  items: readonly Item[],
  valuesOf: (item: Item) => Record<string, number | null>,
): Sample[] =>
  items.map((item): Sample => ({ ...valuesOf(item), at: Date.parse(item.at) }) as Sample).reverse();

/** Checks also run on demand, so the intervals vary; only more than a day without one is a gap. */
export const stepOf = (points: readonly Sample[]): number => {
  const distances = points.slice(1).map(({ at }, place) => at - points[place]!.at);
  return Math.max(DAY, ...distances.filter((distance) => distance < DAY));
};

import type { MetricItem, MetricKind } from '@/lib/metrics/schema';

/** One name with its periods, in the server's order. */
export interface MetricGroup {
  id: string;
  name: string;
  kind: MetricKind;
  items: MetricItem[];
}

/**
 * Items grouped by name. While more pages follow the last name is left out, because its other periods may be on the next
 * one; unless it is the only one.
 */
export const groupsOf = (items: readonly MetricItem[], hasMore: boolean): MetricGroup[] => {
  const groups = new Map<string, MetricGroup>();
  for (const item of items) {
    const known = groups.get(item.group);
    if (known) known.items.push(item);
    else groups.set(item.group, { id: item.group, name: item.name, kind: item.kind, items: [item] });
  }
  const list = [...groups.values()];
  return hasMore && list.length > 1 ? list.slice(0, -1) : list;
};

const NAMED = ['hourly', 'daily', 'weekly', 'monthly', 'total'];
/** Other periods have a column of their own where they are the most frequent. */
const MAX_OTHERS = 2;

/** The periods that get a column: the usual ones that occur, then the most frequent others. */
export const columnPeriods = (groups: readonly MetricGroup[]): string[] => {
  const counts = new Map<string, number>();
  for (const { items } of groups)
    for (const { period } of items) counts.set(period, (counts.get(period) ?? 0) + 1);
  const others = [...counts.entries()]
    .filter(([period]) => !NAMED.includes(period))
    .sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
    .slice(0, MAX_OTHERS)
    .map(([period]) => period)
    .sort();
  return [...NAMED.filter((period) => counts.has(period)), ...others];
};

/** The periods of a group without a column of their own. */
export const otherPeriods = ({ items }: MetricGroup, columns: readonly string[]): MetricItem[] =>
  items.filter(({ period }) => !columns.includes(period));

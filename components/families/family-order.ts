import { byFigure } from '@/components/patterns/by-figure';
import type { FamilyRow } from '@/lib/families/schema';

const ORDERS = {
  misses: (row: FamilyRow) => row.missesPerSecond,
  hitRate: (row: FamilyRow) => row.hitRate,
  keys: (row: FamilyRow) => row.keys,
  memory: (row: FamilyRow) => row.memoryBytes,
};

type Order = keyof typeof ORDERS;

/** The column the families are sorted by: the chosen one, else misses where any are known, else keys. */
export const sortColumnOf = (text: string, families: readonly FamilyRow[]): Order => {
  if (text in ORDERS) return text as Order;
  return families.some(({ missesPerSecond }) => missesPerSecond !== null) ? 'misses' : 'keys';
};

export const inOrder = (families: readonly FamilyRow[], by: Order, order: 'asc' | 'desc'): FamilyRow[] =>
  byFigure(families, ORDERS[by], order);

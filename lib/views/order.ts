import 'server-only';
import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { Whole } from '@/lib/values/whole';
import { type Publication, type Publications, viewsOf } from './publications';

/** A place in the order: most views first, then by name. */
export interface Place {
  views: Whole;
  name: string;
}

export interface Ranked extends Place {
  publication: Publication;
}

const isBefore = (a: Place, b: Place): boolean =>
  a.views > b.views || (a.views === b.views && a.name < b.name);

/** Rows examined before the event loop may do other work. */
const SLICE = 20_000;

/** The next `count` publications after a place. All are examined, and few are sorted: a page needs no more. */
export const publicationsAfter = async (
  { byName }: Publications,
  after: Place | null,
  count: number,
): Promise<Ranked[]> => {
  let found: Ranked[] = [];
  let last: Place | null = null;
  const cut = () => {
    found = found.sort((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, count);
  };
  let examined = 0;
  for (const [name, publication] of byName) {
    examined += 1;
    if (examined % SLICE === 0) await yieldToLoop();
    const row = { views: viewsOf(publication), name, publication };
    if ((after && !isBefore(after, row)) || (last && !isBefore(row, last))) continue;
    found.push(row);
    if (found.length < 2 * count) continue;
    cut();
    last = found[count - 1]!;
  }
  cut();
  return found;
};

import 'server-only';
import { createHash } from 'node:crypto';
import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { WINDOW_ORDERS, WindowState } from './schema';
import { limitAt, SLICE, stateAt, type View } from './view';
import { type Limit, usage, type Window } from './window';

export type WindowOrder = (typeof WINDOW_ORDERS)[number];

/** A place in an order, which another pass has too. Rows that moved meanwhile may come twice or be passed over. */
export interface Place {
  /** What rows are ordered by, descending; those of the same rank by `tie`, ascending. */
  rank: number;
  tie: string;
}

export interface Ranked extends Place {
  /** One character a byte. */
  field: string;
}

/** What refuses comes first, then by use; what is over, and what nothing limits, comes last. */
const rankByUse = (window: Window | null, limit: Limit, state: WindowState): number => {
  switch (state) {
    case 'unreadable':
      return 4;
    case 'limited':
      return 3;
    case 'expired':
      return 0.5;
    case 'unlimited':
      return 0.25;
    default:
      return 1 + (usage(window, limit, state).use ?? 0);
  }
};

const MAX_TIE_LENGTH = 256;

/** A field; of one that is too long for a cursor, and so is no project's, its beginning and its digest. */
const tieOf = (field: string): string =>
  field.length <= MAX_TIE_LENGTH
    ? field
    : field.slice(0, MAX_TIE_LENGTH) + createHash('sha1').update(field, 'latin1').digest('hex');

const isBefore = (a: Place, b: Place): boolean => a.rank > b.rank || (a.rank === b.rank && a.tie < b.tie);

const insert = (found: Ranked[], item: Ranked, most: number): void => {
  let at = found.length;
  while (at > 0 && isBefore(item, found[at - 1]!)) at -= 1;
  found.splice(at, 0, item);
  if (found.length > most) found.pop();
};

/**
 * The next `most` rows that fit, in order; fewer only where there are no more. Every row is looked at and nothing is
 * sorted: of a million that takes some 40 ms in slices, while one sort keeps the event loop for a second.
 */
export const rowsAfter = async (
  view: View,
  by: WindowOrder,
  after: Place | null,
  most: number,
  fits: (row: number, field: string) => boolean,
): Promise<Ranked[]> => {
  const found: Ranked[] = [];
  let row = -1;
  for (const [field, window] of view.pass.windows) {
    row += 1;
    if (row === view.size) break;
    if (row % SLICE === SLICE - 1) await yieldToLoop();
    const rank =
      by === 'use' ? rankByUse(window, limitAt(view, row), stateAt(view, row)) : (window?.count ?? 0);
    const last = found[most - 1];
    if ((last && rank < last.rank) || (after && rank > after.rank) || !fits(row, field)) continue;
    const item = { rank, tie: tieOf(field), field };
    if ((last && !isBefore(item, last)) || (after && !isBefore(after, item))) continue;
    insert(found, item, most);
  }
  return found;
};

const START = 'start';

/** Null is where an order begins. */
export const cursorAt = (place: Place | null): string =>
  place === null ? START : `${place.rank}~${Buffer.from(place.tie, 'latin1').toString('base64url')}`;

/** Where a page begins; undefined when this is no cursor. */
export const placeOf = (cursor: string | undefined): Place | null | undefined => {
  if (cursor === undefined || cursor === START) return null;
  const [, rank, tie] = /^([\w.+]+)~([\w-]*)$/.exec(cursor) ?? [];
  if (tie === undefined || Number.isNaN(Number(rank))) return undefined;
  return { rank: Number(rank), tie: Buffer.from(tie, 'base64url').toString('latin1') };
};

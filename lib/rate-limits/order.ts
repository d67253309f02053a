import 'server-only';
import { createHash } from 'node:crypto';
import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { SLICE, type View, type WindowOrder } from './view';

/** A place in an order, which another pass has too. Rows that moved meanwhile may come twice or be passed over. */
export interface Place {
  /** What rows are ordered by, descending; those of the same rank by `tie`, ascending. */
  rank: number;
  tie: string;
}

export interface Ranked extends Place {
  field: string;
}

const MAX_TIE_LENGTH = 256;

/** A field; of one that is too long for a cursor, and so is no project's, its beginning and its digest. */
const tieOf = (field: string): string =>
  field.length <= MAX_TIE_LENGTH
    ? field
    : field.slice(0, MAX_TIE_LENGTH) + createHash('sha1').update(field, 'latin1').digest('hex');

const isBefore = (rank: number, tie: string, other: Place): boolean =>
  rank > other.rank || (rank === other.rank && tie < other.tie);

const insert = (found: Ranked[], item: Ranked): void => {
  let at = found.length;
  while (at > 0 && isBefore(item.rank, item.tie, found[at - 1]!)) at -= 1;
  found.splice(at, 0, item);
};

/**
 * The next `count` rows that fit, in order; fewer only where there are no more. Every row is looked at and nothing is
 * sorted: to sort a million keeps the event loop for a second, to look at them takes some 40 ms, in slices.
 */
export const rowsAfter = async (
  { fields, ranks }: View,
  by: WindowOrder,
  after: Place | null,
  count: number,
  fits: (row: number) => boolean,
): Promise<Ranked[]> => {
  const found: Ranked[] = [];
  for (let row = 0; row < fields.length; row++) {
    if (row % SLICE === SLICE - 1) await yieldToLoop();
    const rank = ranks[by][row]!;
    const last = found[count - 1];
    if ((last && rank < last.rank) || (after && rank > after.rank) || !fits(row)) continue;
    const [field, tie] = [fields[row]!, tieOf(fields[row]!)];
    if (last && !isBefore(rank, tie, last)) continue;
    if (after && (isBefore(rank, tie, after) || (rank === after.rank && tie === after.tie))) continue;
    insert(found, { rank, tie, field });
    if (found.length > count) found.pop();
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

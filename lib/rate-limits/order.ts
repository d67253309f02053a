import 'server-only';
import { createHash } from 'node:crypto';
import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { View, WindowOrder } from './view';

/** A position in an order, valid for any pass. A row that moved meanwhile may appear twice or be missed. */
export interface Place {
  /** Rows are ordered by `rank`, descending, then by `tie`, ascending. */
  rank: number;
  tie: string;
}

export interface Ranked extends Place {
  field: string;
}

const MAX_TIE_LENGTH = 256;

/** The field; if it is too long for a cursor, its beginning and a digest. */
const tieOf = (field: string): string =>
  field.length <= MAX_TIE_LENGTH
    ? field
    : field.slice(0, MAX_TIE_LENGTH) + createHash('sha1').update(field, 'latin1').digest('hex');

/** Rows examined before the event loop may do other work: a few milliseconds. */
const SLICE = 65_536;

const isBefore = (rank: number, tie: string, other: Place): boolean =>
  rank > other.rank || (rank === other.rank && tie < other.tie);

const insert = (found: Ranked[], item: Ranked): void => {
  let at = found.length;
  while (at > 0 && isBefore(item.rank, item.tie, found[at - 1]!)) at -= 1;
  found.splice(at, 0, item);
};

/**
 * The next `count` rows that match, in order; fewer only at the end. Every row is examined and nothing is sorted: sorting
 * a million rows blocks the event loop for a second, examining them takes about 20 ms, in slices.
 */
export const rowsAfter = async (
  { fields, ranks }: View,
  by: WindowOrder,
  after: Place | null,
  count: number,
  matches: (row: number) => boolean,
): Promise<Ranked[]> => {
  const found: Ranked[] = [];
  const ranked = ranks[by];
  for (let row = 0; row < fields.length; row++) {
    if (row % SLICE === SLICE - 1) await yieldToLoop();
    const rank = ranked[row]!;
    const last = found[count - 1];
    if ((last && rank < last.rank) || (after && rank > after.rank) || !matches(row)) continue;
    const field = fields[row]!;
    const tie = tieOf(field);
    if (last && !isBefore(rank, tie, last)) continue;
    if (after && (isBefore(rank, tie, after) || (rank === after.rank && tie === after.tie))) continue;
    insert(found, { rank, tie, field });
    if (found.length > count) found.pop();
  }
  return found;
};

const START = 'start';

/** Null is the beginning of the order. */
export const cursorAt = (place: Place | null): string =>
  place === null ? START : `${place.rank}~${Buffer.from(place.tie, 'latin1').toString('base64url')}`;

/** Where a page begins; undefined if this is not a cursor. */
export const placeOf = (cursor: string | undefined): Place | null | undefined => {
  if (cursor === undefined || cursor === START) return null;
  const [, rank, tie] = /^([\w.+]+)~([\w-]*)$/.exec(cursor) ?? [];
  if (tie === undefined || Number.isNaN(Number(rank))) return undefined;
  return { rank: Number(rank), tie: Buffer.from(tie, 'base64url').toString('latin1') };
};

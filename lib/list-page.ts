import { badField } from './errors';

/** The sort key of a row, ascending: it never changes between pages, and no two rows share it. */
export type Place = readonly (string | number)[];

export interface PageInput {
  cursor?: string | undefined;
  /** All remaining rows by default. */
  limit?: number;
}

export const badCursor = () =>
  badField('cursor', 'This cursor does not belong to this list: start again without one.');

export const cursorAt = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** The place in a cursor. Throws 400 where its parts do not have the types of `shape`. */
export const placeAt = (cursor: string, shape: readonly ('string' | 'number')[]): Place => {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw badCursor();
  }
  const isPlace = Array.isArray(place) && place.length === shape.length;
  // `JSON.parse` reads `1e400` as Infinity.
  const fits = (part: unknown, i: number) =>
    typeof part === shape[i] && part !== Infinity && part !== -Infinity;
  if (!isPlace || !(place as unknown[]).every(fits)) throw badCursor();
  return place as Place;
};

/** The index, or the time in ms, in a cursor. Throws 400 for any other cursor. */
export const indexAt = (cursor: string): number => {
  const [index] = placeAt(cursor, ['number']);
  if (!Number.isSafeInteger(index) || Number(index) < 0) throw badCursor();
  return Number(index);
};

/** Negative where `a` precedes `b`. */
export const comparePlaces = (a: Place, b: Place): number => {
  for (const [i, part] of a.entries()) if (part !== b[i]) return part < b[i]! ? -1 : 1;
  return 0;
};

/** A page of an in-memory list, sorted by place. The cursor is the place of the last row shown. */
export const pageOfRows = <T>(
  rows: readonly T[],
  { cursor, limit = Infinity }: PageInput,
  shape: readonly ('string' | 'number')[],
  placeOf: (row: T) => Place,
): { items: T[]; nextCursor: string | null } => {
  const after = cursor === undefined ? null : placeAt(cursor, shape);
  const left = rows
    .map((row) => ({ row, place: placeOf(row) }))
    .filter(({ place }) => after === null || comparePlaces(place, after) > 0)
    .sort((a, b) => comparePlaces(a.place, b.place));
  const page = left.slice(0, limit);
  const nextCursor = left.length > limit ? cursorAt(page[page.length - 1]!.place) : null;
  return { items: page.map(({ row }) => row), nextCursor };
};

import 'server-only';
import { badCursor, comparePlaces, cursorAt, type Place, placeAt } from '@/lib/list-page';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { SECOND } from '@/lib/time';

/** Kept for callers who request further pages; a reading may take megabytes. */
const KEPT_MS = 30 * SECOND;
const MAX_KEPT = 4;

interface Reading<T> {
  /** In the cursor: unique among this process's readings. */
  id: number;
  value: T;
}

/** Readings of a list whose order differs between readings: further pages use the reading of the first page. */
export interface PagedReadings<T> {
  /** The reading in the cursor; a shared one without a cursor, or if another process made it or it is too old. */
  of(handle: ConnectionHandle, cursor: string | undefined, read: () => Promise<T>): Promise<Reading<T>>;
  /** Tests read data they have just written. */
  forget(): void;
}

/** The reading in a cursor, and the number of rows before the page. */
const placeOf = (cursor: string): [reading: number, before: number] => {
  const [reading, before] = placeAt(cursor, ['number', 'number']).map(Number);
  if (!Number.isSafeInteger(before) || before! < 0) throw badCursor();
  return [reading!, before!];
};

/** A row's sort value and its id. */
type Sorted = readonly [value: number | null, id: string];

/** Unknown values are last in both orders. */
const sortPlace = ([value, id]: Sorted, order: 'asc' | 'desc'): Place => {
  if (value === null) return [Number.MAX_SAFE_INTEGER, id];
  return [order === 'asc' ? value : -value, id];
};

/**
 * A page of the rows of a reading. The cursor contains a count instead of a value, so that it is valid in another
 * reading, where values such as ages have all grown.
 */
export const pageOfReading = <T>(
  rows: readonly T[],
  reading: number,
  { cursor, limit, order }: { cursor?: string | undefined; limit: number; order: 'asc' | 'desc' },
  sortedOf: (row: T) => Sorted,
): { items: T[]; nextCursor: string | null } => {
  const before = cursor === undefined ? 0 : placeOf(cursor)[1];
  const sorted = rows
    .map((row) => ({ row, place: sortPlace(sortedOf(row), order) }))
    .sort((a, b) => comparePlaces(a.place, b.place));
  const end = before + limit;
  return {
    items: sorted.slice(before, end).map(({ row }) => row),
    nextCursor: sorted.length > end ? cursorAt([reading, end]) : null,
  };
};

/** `name` is unique in the process; `ms`: how long requests for the first page share a reading. */
export const pagedReadings = <T>(name: string, ms: number): PagedReadings<T> => {
  const shared = sharedAnswer<Reading<T>>(name, ms);
  const kept = processWide(`${name}, kept`, () => new WeakMap<ConnectionHandle, Reading<T>[]>());
  let last = 0;
  const keep = (handle: ConnectionHandle, reading: Reading<T>): void => {
    const others = () => (kept().get(handle) ?? []).filter((other) => other !== reading);
    kept().set(handle, [reading, ...others()].slice(0, MAX_KEPT));
    setTimeout(() => kept().set(handle, others()), KEPT_MS).unref();
  };
  return {
    of: async (handle, cursor, read) => {
      const wanted = cursor === undefined ? null : placeOf(cursor)[0];
      const reading = kept()
        .get(handle)
        ?.find(({ id }) => id === wanted);
      if (reading) return reading;
      return shared.of(handle, async () => {
        const value = await read();
        last = Math.max(last + 1, Date.now());
        const reading = { id: last, value };
        keep(handle, reading);
        return reading;
      });
    },
    forget: () => shared.forget(),
  };
};

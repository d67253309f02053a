import 'server-only';
import { badCursor, comparePlaces, cursorAt, type Place, placeAt } from '@/lib/list-page';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { SECOND } from '@/lib/time';

/** For whoever pages on; a reading can be megabytes. */
const KEPT_MS = 30 * SECOND;
const MAX_KEPT = 4;

interface Reading<T> {
  /** In the cursor: of no other reading of this process. */
  id: number;
  value: T;
}

/** Readings of a list whose order is another one in each: pages that follow are of the same reading as the first. */
export interface PagedReadings<T> {
  /** The reading that the cursor names; a shared one without a cursor, and where another process read or it is too old. */
  of(handle: ConnectionHandle, cursor: string | undefined, read: () => Promise<T>): Promise<Reading<T>>;
  /** Tests read what they just wrote. */
  forget(): void;
}

/** The reading in a cursor, and how many of its rows came before. */
const placeOf = (cursor: string): [reading: number, before: number] => {
  const [reading, before] = placeAt(cursor, ['number', 'number']).map(Number);
  if (!Number.isSafeInteger(before) || before! < 0) throw badCursor();
  return [reading!, before!];
};

/** What a row is sorted by, and its id. */
type Sorted = readonly [value: number | null, id: string];

/** What is unknown comes last in both orders. */
const sortPlace = ([value, id]: Sorted, order: 'asc' | 'desc'): Place => {
  if (value === null) return [Number.MAX_SAFE_INTEGER, id];
  return [order === 'asc' ? value : -value, id];
};

/**
 * A page of the rows of a reading. The cursor has their count instead of a value: it holds in another reading too, whose
 * values, like ages, have all grown.
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

/** `name` is unique in the process; `ms`: how long a reading is shared by those who begin. */
export const pagedReadings = <T>(name: string, ms: number): PagedReadings<T> => {
  const shared = sharedAnswer<Reading<T>>(name, ms);
  const kept = processWide(`${name}, kept`, () => new WeakMap<ConnectionHandle, Reading<T>[]>());
  let last = 0;
  const keep = (handle: ConnectionHandle, reading: Reading<T>): void => {
    const others = () => (kept().get(handle) ?? []).filter((each) => each !== reading);
    kept().set(handle, [reading, ...others()].slice(0, MAX_KEPT));
    setTimeout(() => kept().set(handle, others()), KEPT_MS).unref();
  };
  return {
    of: async (handle, cursor, read) => {
      const of = cursor === undefined ? null : placeOf(cursor)[0];
      const found = kept()
        .get(handle)
        ?.find(({ id }) => id === of);
      if (found) return found;
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

import 'server-only';
import { Problem } from '@/lib/errors';
import { type Place, placeAt } from '@/lib/list-page';
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
  /** The reading that the cursor names, else a shared one. Throws 410 where it is no longer kept. */
  of(handle: ConnectionHandle, cursor: string | undefined, read: () => Promise<T>): Promise<Reading<T>>;
  /** Tests read what they just wrote. */
  forget(): void;
}

/** The place of a row: its reading, what it is sorted by, and its id. What is unknown comes last in both orders. */
export const READING_PLACE = ['number', 'number', 'string'] as const;

export const placeIn = (reading: number, value: number | null, order: 'asc' | 'desc', id: string): Place => {
  if (value === null) return [reading, Number.MAX_SAFE_INTEGER, id];
  return [reading, order === 'asc' ? value : -value, id];
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
      if (cursor !== undefined) {
        const [id] = placeAt(cursor, READING_PLACE);
        const found = kept()
          .get(handle)
          ?.find((reading) => reading.id === id);
        if (found) return found;
        throw new Problem('cursor_expired', 'The list was read too long ago. Start again without a cursor.');
      }
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

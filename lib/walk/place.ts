import 'server-only';
import { processMarkOf } from '@/lib/redis/page';

/** Where a walk can be resumed: a cursor, and a digest of its server process. */
export const placeOf = (cursor: string, process: string): string => `${processMarkOf(process)} ${cursor}`;

/** The cursor of a place; null where it belongs to another process. */
export const cursorIn = (place: string, process: string): string | null => {
  const [mark, cursor] = place.split(' ');
  return mark === processMarkOf(process) && cursor ? cursor : null;
};

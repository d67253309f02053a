import 'server-only';
import { parseJsonObject, scalarText } from '@/lib/exact-json';
import type { Cut } from '@/lib/key-values/etag';
import { SECOND } from '@/lib/time';
import { readTime } from '@/lib/values/read-time';
import { textOf } from '@/lib/values/string-value';

/** Usual names of the time at which a task was created or added, the more exact first. */
const TIME_FIELDS = [
  'enqueued_at',
  'enqueuedAt',
  'queued_at',
  'queuedAt',
  'created_at',
  'createdAt',
  'published_at',
  'publishedAt',
  'timestamp',
  'time',
  'ts',
  'at',
];

/** Clocks of several machines differ. */
const MAX_AHEAD_MS = 5 * SECOND;

/** The time that a JSON object says of itself, epoch ms; null where it is none, cut, or names no time before now. */
export const payloadTime = ({ bytes, length }: Cut, now: number): number | null => {
  const value = parseJsonObject((bytes.length === length && textOf(bytes)) || '');
  if (value === null) return null;
  for (const name of TIME_FIELDS) {
    const text = Object.hasOwn(value, name) ? scalarText(value[name]) : null;
    const time = text === null ? null : readTime(text);
    // A later time is when the task is due.
    if (time !== null && time <= now + MAX_AHEAD_MS) return time;
  }
  return null;
};

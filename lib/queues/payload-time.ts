import 'server-only';
import type { Cut } from '@/lib/keys/etag';
import { SECOND } from '@/lib/time';
import { readTime } from '@/lib/values/read-time';
import { textOf } from '@/lib/values/string-value';

/** Usual names of the time at which a task was created or added, the more exact first. */
const TIME_FIELDS = [
  ...['enqueued_at', 'enqueuedAt', 'queued_at', 'queuedAt', 'created_at', 'createdAt', 'published_at'],
  ...['publishedAt', 'timestamp', 'time', 'ts', 'at'],
];

/** Clocks of several machines differ. */
const MAX_AHEAD_MS = 5 * SECOND;

/** The time that a JSON object says of itself, epoch ms; null where it is none, cut, or names no time before now. */
export const payloadTime = ({ bytes, length }: Cut, now: number): number | null => {
  const text = bytes.length === length ? textOf(bytes) : null;
  if (text === null || !/^\s*\{/.test(text)) return null;
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
  for (const name of TIME_FIELDS) {
    const field = Object.hasOwn(value, name) ? value[name] : null;
    const time = typeof field === 'string' || typeof field === 'number' ? readTime(`${field}`) : null;
    // A later time is when the task is due.
    if (time !== null && time <= now + MAX_AHEAD_MS) return time;
  }
  return null;
};

import 'server-only';
import type { Part, TimeUnit } from '@/lib/keyspace/roles';
import { unixSeconds } from '@/lib/time';

/** The unit of a time: Unix seconds unless the part declares another. */
export const unitOf = (part: Part | undefined): TimeUnit =>
  part && 'unit' in part && part.unit ? part.unit : 's';

const MILLISECONDS = /^\d{1,15}(\.\d+)?$/;
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,+\-Z]{0,24}$/;

/** A time in the application's notation, as epoch ms; null if unreadable. */
export const readTime = (text: string | null | undefined, unit: TimeUnit): number | null => {
  if (unit === 's') return unixSeconds(text);
  if (!text) return null;
  if (unit === 'ms') return MILLISECONDS.test(text) ? Number(text) : null;
  const at = ISO.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
};

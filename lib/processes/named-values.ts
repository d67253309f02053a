import 'server-only';
import { readTime } from '@/lib/values/read-time';

/** Values of a state by field name, in lower case without separators; unmasked, for decisions only. */
export type NamedValues = ReadonlyMap<string, string>;

/** `startedAt`, `started_at` and `Started-At` are one name. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

export const STATUS_NAMES = ['status', 'state', 'phase', 'stage'] as const;
const START_NAMES = [
  'startedat',
  'starttime',
  'started',
  'createdat',
  'created',
  'beganat',
  'timestamp',
] as const;
const UPDATE_NAMES = [
  'updatedat',
  'lastupdate',
  'lastupdated',
  'lastupdatedat',
  'updated',
  'heartbeat',
  'heartbeatat',
  'lastheartbeat',
  'lastseen',
  'lastprogressat',
  'modifiedat',
  'lastactivity',
] as const;
const END_NAMES = ['finishedat', 'completedat', 'endedat', 'cancelledat', 'canceledat'] as const;
const FAILURE_NAMES = ['failedat'] as const;
const DONE_NAMES = ['done', 'processed', 'current', 'completed', 'handled'] as const;
const TOTAL_NAMES = ['total', 'totalcount'] as const;
const RATIO_NAMES = ['progress', 'percent', 'percentage', 'percentcomplete', 'pct'] as const;

/** All deciding names: they are read separately if a state has more fields than are read. */
export const DECISIVE_NAMES: readonly string[] = [
  STATUS_NAMES,
  START_NAMES,
  UPDATE_NAMES,
  END_NAMES,
  FAILURE_NAMES,
  DONE_NAMES,
  TOTAL_NAMES,
  RATIO_NAMES,
].flat();

/** The first of these fields that can be read in this way. */
const firstRead = <T>(
  values: NamedValues,
  names: readonly string[],
  read: (text: string) => T | null,
): T | null => {
  for (const name of names) {
    const value = read(values.get(name)?.trim() ?? '');
    if (value !== null) return value;
  }
  return null;
};

/** The first of these fields that is stored and not empty. */
export const firstOf = (values: NamedValues, names: readonly string[]): string | null =>
  firstRead(values, names, (text) => text || null);

const timeOf = (values: NamedValues, names: readonly string[]): number | null =>
  firstRead(values, names, readTime);

/** Epoch ms; null without such a field. */
export const startOf = (values: NamedValues): number | null => timeOf(values, START_NAMES);
export const updateOf = (values: NamedValues): number | null => timeOf(values, UPDATE_NAMES);
export const endOf = (values: NamedValues): number | null => timeOf(values, END_NAMES);
export const failureOf = (values: NamedValues): number | null => timeOf(values, FAILURE_NAMES);

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

const numberIn = (text: string): number | null => (NUMBER.test(text) ? Number(text) : null);

/** The first of these fields with a number: `done` may be `false` beside `processed`. */
const numberOf = (values: NamedValues, names: readonly string[]): number | null =>
  firstRead(values, names, numberIn);

const ratio = (part: number, whole: number): number | null =>
  whole > 0 && part >= 0 && part <= whole ? part / whole : null;

const FRACTION = /^(\d{1,15})\s*(?:\/|of)\s*(\d{1,15})$/;

/** A share in any notation: `0.4`, `40`, `40 %`, `4/10`. */
const writtenShare = (text: string, total: number | null, isPercent: boolean): number | null => {
  const [, done, of] = FRACTION.exec(text) ?? [];
  if (done !== undefined) return ratio(Number(done), Number(of));
  const percent = numberIn(/^(.*?)\s*%$/.exec(text)?.[1] ?? '');
  if (percent !== null) return ratio(percent, 100);
  const number = numberIn(text);
  if (number === null) return null;
  if (isPercent) return ratio(number, 100);
  // Even with a total, the value may be a share: 0.5.
  if (total !== null && (number > 1 || Number.isInteger(number))) return ratio(number, total);
  return ratio(number, number <= 1 ? 1 : 100);
};

/**
 * Progress of a process, 0–1: from `done`, `processed` or `current` of `total`, or from `progress` or `percent`. Null
 * without such a field, or with an impossible value.
 */
export const progressOf = (values: NamedValues): number | null => {
  const total = numberOf(values, TOTAL_NAMES);
  const done = numberOf(values, DONE_NAMES);
  if (done !== null && total !== null) return ratio(done, total);
  for (const name of RATIO_NAMES) {
    const text = values.get(name)?.trim();
    if (text) return writtenShare(text, total, name !== 'progress');
  }
  return null;
};

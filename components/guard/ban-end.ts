import { DAY, HOUR, iso } from '@/lib/time';

const SPANS = { hour: HOUR, day: DAY, week: 7 * DAY } as const;

export const END_KINDS = ['hour', 'day', 'week', 'until', 'none'] as const;
export type EndKind = (typeof END_KINDS)[number];

/** When a ban ends. `at` is an ISO time, '' while none is chosen, and counts for `until` only. */
export interface BanEnd {
  kind: EndKind;
  at: string;
}

export const NO_END: BanEnd = { kind: 'none', at: '' };

/** A new ban ends unless "for ever" is chosen. */
export const FIRST_END: BanEnd = { kind: 'day', at: '' };

/** The form's value for a ban's end. */
export const endOf = (expiresAt: string | null): BanEnd =>
  expiresAt === null ? NO_END : { kind: 'until', at: expiresAt };

/** The end as an ISO time, spans counted from `now` (epoch ms); null for no end or no time yet. */
export const endTime = ({ kind, at }: BanEnd, now: number): string | null => {
  if (kind === 'none') return null;
  if (kind === 'until') return at || null;
  return iso(now + SPANS[kind]);
};

const MAX_MS = 365 * DAY;

/** Why the server would refuse the end, or `missing` if no time is chosen yet; null if it is valid. */
export const endFault = (end: BanEnd, now: number): 'missing' | 'past' | 'far' | null => {
  if (end.kind !== 'until') return null;
  const time = Date.parse(endTime(end, now) ?? '');
  if (Number.isNaN(time)) return 'missing';
  if (time <= now) return 'past';
  return time > now + MAX_MS ? 'far' : null;
};

import { DAY, HOUR, iso } from '@/lib/time';

const SPANS = { hour: HOUR, day: DAY, week: 7 * DAY } as const;

export const END_KINDS = ['none', 'hour', 'day', 'week', 'until'] as const;
export type EndKind = (typeof END_KINDS)[number];

/** When a ban ends. `at` is an ISO time, '' while none is chosen, and counts for `until` only. */
export interface BanEnd {
  kind: EndKind;
  at: string;
}

export const NO_END: BanEnd = { kind: 'none', at: '' };

/** The end a ban has, as a choice. */
export const endOf = (expiresAt: string | null): BanEnd =>
  expiresAt === null ? NO_END : { kind: 'until', at: expiresAt };

/** As an ISO time at `now` (epoch ms); null for a ban without end, and while no time is given. */
export const endTime = ({ kind, at }: BanEnd, now: number): string | null => {
  if (kind === 'none') return null;
  if (kind === 'until') return at || null;
  return iso(now + SPANS[kind]);
};

const MAX_MS = 365 * DAY;

/** What the server would refuse, or `missing` while a time is to be chosen; null where it is good. */
export const endFault = (end: BanEnd, now: number): 'missing' | 'past' | 'far' | null => {
  if (end.kind !== 'until') return null;
  const time = Date.parse(endTime(end, now) ?? '');
  if (Number.isNaN(time)) return 'missing';
  if (time <= now) return 'past';
  return time > now + MAX_MS ? 'far' : null;
};

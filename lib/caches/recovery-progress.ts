import 'server-only';
import { isoOrNull, MINUTE, SECOND } from '@/lib/time';
import type { Recovery } from './schema';

/** How long at most misses are followed after an invalidation. */
export const MAX_FOLLOWED_MS = 30 * MINUTE;

/** Normal again: for this many steps in a row at most a quarter above normal, or one miss a second. */
const CONSECUTIVE_STEPS = 3;
const ABOVE = 1.25;
const ABOVE_PER_SECOND = 1;

/** Misses a second in one step; `at` is its beginning. */
export interface Rate {
  at: number;
  perSecond: number;
}

type Course = Pick<
  Recovery,
  | 'state'
  | 'normalMissesPerSecond'
  | 'peakMissesPerSecond'
  | 'extraMisses'
  | 'normalAt'
  | 'normalAfterSeconds'
>;

const UNKNOWN: Course = {
  ...{ state: 'unknown', normalMissesPerSecond: null, peakMissesPerSecond: null, extraMisses: null },
  ...{ normalAt: null, normalAfterSeconds: null },
};

const round = (value: number): number => Math.round(value * 100) / 100;

interface Span {
  startedAt: number;
  endedAt: number;
  now: number;
  stepMs: number;
}

/** Where the first steps in a row begin that are as they were before. */
const normalAgain = (after: readonly Rate[], { endedAt, stepMs }: Span, limit: number): number | null => {
  let row = 0;
  for (const [i, { at, perSecond }] of after.entries()) {
    const follows = row > 0 && at - after[i - 1]!.at <= stepMs;
    const fits = perSecond <= limit && at + stepMs > endedAt;
    row = fits ? (follows ? row + 1 : 1) : 0;
    if (row === CONSECUTIVE_STEPS) return after[i - CONSECUTIVE_STEPS + 1]!.at;
  }
  return null;
};

/** How misses went: what was normal, how far above they rose, and when they were back. */
export const recoveryProgress = (rates: readonly Rate[], span: Span): Course => {
  const { startedAt, endedAt, now, stepMs } = span;
  const before = rates.filter(({ at }) => at + stepMs <= startedAt);
  const after = rates.filter(({ at }) => at + stepMs > startedAt);
  const over = now >= endedAt + MAX_FOLLOWED_MS;
  if (before.length === 0) return { ...UNKNOWN, state: over ? 'unknown' : 'following' };
  const normal = before.reduce((sum, { perSecond }) => sum + perSecond, 0) / before.length;
  const at = normalAgain(after, span, Math.max(normal * ABOVE, normal + ABOVE_PER_SECOND));
  const surge = at === null ? after : after.filter((rate) => rate.at < at);
  const extra = surge.reduce((sum, { perSecond }) => sum + Math.max(0, perSecond - normal), 0);
  const back = at === null ? null : Math.max(at, endedAt);
  return {
    state: back !== null ? 'normal' : over ? 'given-up' : 'following',
    normalMissesPerSecond: round(normal),
    peakMissesPerSecond: after.length > 0 ? Math.max(...after.map(({ perSecond }) => perSecond)) : null,
    extraMisses: Math.round((extra * stepMs) / SECOND),
    normalAt: isoOrNull(back),
    normalAfterSeconds: back === null ? null : Math.round((back - endedAt) / SECOND),
  };
};

import 'server-only';
import { isoOrNull, MINUTE, SECOND } from '@/lib/time';
import type { Recovery } from './schema';

/** The maximum time that misses are followed after an invalidation. */
export const MAX_FOLLOWED_MS = 30 * MINUTE;

/** Recovered: in this many consecutive steps misses exceed the normal rate by at most 25 %, or one per second. */
const CONSECUTIVE_STEPS = 3;
const ABOVE = 1.25;
const ABOVE_PER_SECOND = 1;

/** Misses per second in one step; `at` is its start. */
export interface Rate {
  at: number;
  perSecond: number;
}

type Progress = Pick<
  Recovery,
  | 'state'
  | 'normalMissesPerSecond'
  | 'peakMissesPerSecond'
  | 'extraMisses'
  | 'normalAt'
  | 'normalAfterSeconds'
>;

const UNKNOWN: Progress = {
  state: 'unknown',
  normalMissesPerSecond: null,
  peakMissesPerSecond: null,
  extraMisses: null,
  normalAt: null,
  normalAfterSeconds: null,
};

const round = (value: number): number => Math.round(value * 100) / 100;

interface Span {
  startedAt: number;
  endedAt: number;
  now: number;
  stepMs: number;
}

/** The start of the first consecutive steps within the limit, each complete and after the end; null before them. */
const recoveredAt = (
  after: readonly Rate[],
  { endedAt, now, stepMs }: Span,
  limit: number,
): number | null => {
  let consecutive = 0;
  for (const [i, { at, perSecond }] of after.entries()) {
    const follows = consecutive > 0 && at - after[i - 1]!.at <= stepMs;
    const fits = perSecond <= limit && at >= endedAt && at + stepMs <= now;
    consecutive = fits ? (follows ? consecutive + 1 : 1) : 0;
    if (consecutive === CONSECUTIVE_STEPS) return after[i - CONSECUTIVE_STEPS + 1]!.at;
  }
  return null;
};

/** The normal misses per second, their peak, the extra misses and when they were back to normal. */
export const recoveryProgress = (rates: readonly Rate[], span: Span): Progress => {
  const { startedAt, endedAt, now, stepMs } = span;
  const before = rates.filter(({ at }) => at + stepMs <= startedAt);
  const after = rates.filter(({ at }) => at + stepMs > startedAt);
  const over = now >= endedAt + MAX_FOLLOWED_MS;
  if (before.length === 0) return { ...UNKNOWN, state: over ? 'unknown' : 'following' };
  const normal = before.reduce((sum, { perSecond }) => sum + perSecond, 0) / before.length;
  const at = recoveredAt(after, span, Math.max(normal * ABOVE, normal + ABOVE_PER_SECOND));
  const surge = at === null ? after : after.filter((rate) => rate.at < at);
  const extra = surge.reduce((sum, { perSecond }) => sum + Math.max(0, perSecond - normal), 0);
  const normalAt = at === null ? null : Math.max(at, endedAt);
  return {
    state: normalAt !== null ? 'normal' : over ? 'given-up' : 'following',
    normalMissesPerSecond: round(normal),
    peakMissesPerSecond: after.length > 0 ? Math.max(...after.map(({ perSecond }) => perSecond)) : null,
    extraMisses: Math.round((extra * stepMs) / SECOND),
    normalAt: isoOrNull(normalAt),
    normalAfterSeconds: normalAt === null ? null : Math.round((normalAt - endedAt) / SECOND),
  };
};

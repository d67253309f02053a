import type { Result } from '@/lib/contract';
import type { flagContracts } from '@/lib/flags/schema';
import { epochOf } from '@/lib/format';

/** Default interval: others change flags too. */
const REFRESH_MS = 5000;
const MIN_MS = 500;
/** Interval while the server still scans for newer names. */
const SCANNING_MS = 1000;
/** A change overdue for longer is blocked by something else, such as an unreachable Redis: no faster refetch. */
const MAX_OVERDUE_MS = 60_000;

/** Refetch interval in ms: shorter when a scheduled change is due, so its effect shows soon. */
export const listInterval = (list: Result<typeof flagContracts.list> | undefined, now: number): number => {
  const due = (list?.items ?? [])
    .flatMap(({ schedule }) => schedule)
    .filter(({ state }) => state === 'waiting')
    .map(({ at }) => (epochOf(at) ?? 0) - now)
    .filter((wait) => wait > -MAX_OVERDUE_MS);
  const interval = list?.complete === false ? SCANNING_MS : REFRESH_MS;
  return Math.max(MIN_MS, Math.min(interval, ...due));
};

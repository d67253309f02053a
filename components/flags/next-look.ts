import type { Result } from '@/lib/contract';
import type { flagContracts } from '@/lib/flags/schema';
import { epochOf } from '@/lib/format';

/** Others change flags too: what is shown is not older than this, and comes back by itself after a failure. */
const CALM_MS = 5000;
const SOON_MS = 500;
/** Interval of refetches while a walk looks for newer names. */
const NEWER_MS = 1000;
/** A plan that is late for longer than this waits for something else, a Redis that is gone perhaps. */
const LATE_MS = 60_000;

/** In how many milliseconds to look again: sooner when a plan is due, so that it is seen to be carried out. */
export const nextLook = (list: Result<typeof flagContracts.list> | undefined, now: number): number => {
  const due = (list?.items ?? [])
    .flatMap(({ schedule }) => schedule)
    .filter(({ state }) => state === 'waiting')
    .map(({ at }) => (epochOf(at) ?? 0) - now)
    .filter((wait) => wait > -LATE_MS);
  const calm = list?.complete === false ? NEWER_MS : CALM_MS;
  return Math.max(SOON_MS, Math.min(calm, ...due));
};

import 'server-only';
import { SECOND } from '@/lib/time';
import type { JobContext } from './define';

/** A share is saved in thousandths. */
const WHOLE = 1000;
const SAVE_MS = SECOND / 5;

/**
 * Saves the share of a walk, 0–1, as a job's progress: at most five times a second, because a walk has thousands of
 * chunks per second and all participants wait for each. A smaller share than before means that the walk restarted.
 */
export const shareProgress = (ctx: Pick<JobContext, 'progress'>): ((share: number) => Promise<void>) => {
  let savedAt = Number.NEGATIVE_INFINITY;
  let last = 0;
  return async (share) => {
    const hasBegun = share < last;
    last = share;
    const now = performance.now();
    if (!hasBegun && share < 1 && now - savedAt < SAVE_MS) return;
    savedAt = now;
    await ctx.progress(hasBegun ? 0 : Math.floor(share * WHOLE), WHOLE, 0);
  };
};

import 'server-only';
import type { JobContext } from '@/lib/jobs/define';
import type { Target } from './reach';
import type { Met } from './walk';

/** What an invalidation did until now. `matched`: deleted, vanished, changed, or about to be. */
export interface Tally extends Met {
  matched: number;
  deleted: number;
  vanished: number;
  changed: number;
  notKept: number;
  /** Keys of deletions under way: where the reply is lost nobody can say whether they went. */
  inDoubt: number;
  memoryBytes: number | null;
}

export const newTally = (): Tally => ({
  ...{ matched: 0, deleted: 0, vanished: 0, changed: 0, notKept: 0, inDoubt: 0, memoryBytes: null },
  ...{ guarded: 0, families: new Set<string>() },
});

export interface InvalidationPlan {
  target: Target;
  withoutUndo: boolean;
  /** How many it is expected to be. */
  total: number;
}

/** Batches that are under way at once where the budget asks for no pauses. */
export const AHEAD = 2;

/** What is done, and how many are about to be; to be awaited before they are. */
export const note = (ctx: JobContext, plan: InvalidationPlan, tally: Tally, pending: number): Promise<void> =>
  ctx.progress(tally.deleted, Math.max(plan.total, tally.matched), pending);

import 'server-only';
import { Problem } from '@/lib/errors';
import { log } from '@/lib/log';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { type Upgrade, upgradeStore } from './migrate';

const INTERVAL_MS = SECOND;
/** A failed upgrade announces itself to other processes, which then change nothing for a moment. */
const RETRY_MS = 30 * SECOND;

export interface Followed {
  /** Resolves when the store was read for the first time, or did not answer. */
  first: Promise<void>;
  /** Ends the background work, whose jobs may complete within `drainMs`. */
  stop(drainMs: number): Promise<void>;
}

/** Ends background work; its jobs may complete within `drainMs`. */
type End = (drainMs: number) => Promise<void>;

/**
 * Compares the version of the store with that of this console, at the start and once a second: upgrades it, and refuses
 * to write to one that a newer console wrote. Background work runs only while this process may write.
 */
export const followVersion = (own: Store, begin: () => End, upgrade: Upgrade): Followed => {
  let end: End | null = null;
  let reported: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isOver = false;

  const start = () => {
    if (!isStopped) end ??= begin();
  };
  const apply = async (why: Problem | null): Promise<void> => {
    own.refuseWrites(why);
    if (why && why.message !== reported) log('error', why.message);
    if (!why && reported) log('info', 'The store may be written to again.');
    reported = why?.message ?? null;
    const ending = why && end;
    if (ending) end = null;
    if (!why) start();
    await ending?.(0);
  };
  const turn = async (): Promise<void> => {
    let wait = INTERVAL_MS;
    try {
      const { why, hasFailed } = await upgradeStore(own, upgrade);
      await apply(why);
      if (hasFailed) wait = RETRY_MS;
    } catch {
      // The store does not answer. What it says is known before it can be written to again.
      start();
    }
    if (!isOver) timer = setTimeout(() => void turn(), wait);
  };
  own.refuseWrites(
    new Problem('store_unavailable', "Keyward's own store is unavailable: its version is being checked."),
  );
  return {
    first: turn(),
    stop: async (drainMs) => {
      isStopped = true;
      // While jobs complete, the version is still followed.
      await end?.(drainMs);
      isOver = true;
      clearTimeout(timer);
    },
  };
};

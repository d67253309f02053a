import 'server-only';
import { DelayedError, type Job } from 'bullmq';
import { z } from 'zod';
import { ownerOf } from '@/lib/actor';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { readRecord } from './record';

/** Workers of each queue, and how many of them one user's jobs may have at once. */
export const CONCURRENCY = 4;
const SHARE = CONCURRENCY / 2;
/** A job of theirs that ends here lets the next one in before; one that ends in another process does not. */
const RETRY_AFTER_MS = SECOND;

const entryData = z.object({ jobId: z.string() });

interface User {
  running: number;
  /** Entries that were put back, by their job's id. */
  waiting: Map<string, Job>;
}

const promoteNext = async ({ waiting }: User): Promise<void> => {
  for (const [jobId, entry] of waiting) {
    waiting.delete(jobId);
    // One that another process has by now cannot be promoted.
    if (
      await entry.promote().then(
        () => true,
        () => false,
      )
    )
      return;
  }
};

/** Runs `work` while the user has fewer than their share of a queue's workers; puts the entry back otherwise. */
export const withFairShare = (store: Store, work: (jobId: string) => Promise<void>) => {
  const people = new Map<string, User>();
  return async (entry: Job, token?: string): Promise<void> => {
    const { jobId } = entryData.parse(entry.data);
    const record = await readRecord(store, jobId);
    // All that no user is behind is one user: tokens of the configuration make others.
    const owner = (record && ownerOf(record.actor)) ?? '';
    const user = people.get(owner) ?? { running: 0, waiting: new Map<string, Job>() };
    people.set(owner, user);
    if (user.running >= SHARE) {
      user.waiting.set(jobId, entry);
      await entry.moveToDelayed(Date.now() + RETRY_AFTER_MS, token);
      throw new DelayedError();
    }
    user.waiting.delete(jobId);
    user.running += 1;
    try {
      await work(jobId);
    } finally {
      user.running -= 1;
      await promoteNext(user);
    }
  };
};

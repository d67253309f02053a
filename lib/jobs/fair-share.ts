import 'server-only';
import { DelayedError, type Job } from 'bullmq';
import { z } from 'zod';
import { ownerOf } from '@/lib/actor';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { readRecord } from './record';

/** Workers of each queue. One user's jobs may occupy half of them. */
export const CONCURRENCY = 4;
const SHARE = CONCURRENCY / 2;
/** A user's next job starts when one of theirs ends in this process; otherwise it is retried after this time. */
const RETRY_AFTER_MS = SECOND;

const entryData = z.object({ jobId: z.string(), traceparent: z.string().optional() });

interface User {
  running: number;
  /** Delayed entries, by job id. */
  waiting: Map<string, Job>;
}

const promoteNext = async ({ waiting }: User): Promise<void> => {
  for (const [jobId, entry] of waiting) {
    waiting.delete(jobId);
    try {
      return await entry.promote();
    } catch {
      // Another process took the entry.
    }
  }
};

/** Runs `work` while the user has fewer than their share of a queue's workers; otherwise delays the entry. */
export const withFairShare = (store: Store, work: (jobId: string, traceparent?: string) => Promise<void>) => {
  const users = new Map<string, User>();
  return async (entry: Job, token?: string): Promise<void> => {
    const { jobId, traceparent } = entryData.parse(entry.data);
    const record = await readRecord(store, jobId);
    // Actors without a user share one place: the configured API token can create any number of them.
    const owner = (record && ownerOf(record.actor)) ?? '';
    const user = users.get(owner) ?? { running: 0, waiting: new Map<string, Job>() };
    users.set(owner, user);
    if (user.running >= SHARE) {
      user.waiting.set(jobId, entry);
      await entry.moveToDelayed(Date.now() + RETRY_AFTER_MS, token);
      throw new DelayedError();
    }
    user.waiting.delete(jobId);
    user.running += 1;
    try {
      await work(jobId, traceparent);
    } finally {
      user.running -= 1;
      await promoteNext(user);
    }
  };
};

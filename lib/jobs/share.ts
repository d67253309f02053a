import 'server-only';
import { DelayedError, type Job } from 'bullmq';
import { z } from 'zod';
import { ownerOf } from '@/lib/actor';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { readRecord } from './record';

/** Workers of each queue, and how many of them one person's jobs may have at once. */
export const CONCURRENCY = 4;
const SHARE = CONCURRENCY / 2;
const RETRY_AFTER_MS = SECOND;

const entryData = z.object({ jobId: z.string() });

/** Runs `work` while the person has fewer than their share of a queue's workers; puts the entry back otherwise. */
export const sharing = (store: Store, work: (jobId: string) => Promise<void>) => {
  const running = new Map<string, number>();
  return async (entry: Job, token?: string): Promise<void> => {
    const { jobId } = entryData.parse(entry.data);
    const record = await readRecord(store, jobId);
    // All that no user is behind is one person: tokens of the configuration make others.
    const person = (record && ownerOf(record.actor)) ?? '';
    const own = running.get(person) ?? 0;
    if (own >= SHARE) {
      await entry.moveToDelayed(Date.now() + RETRY_AFTER_MS, token);
      throw new DelayedError();
    }
    running.set(person, own + 1);
    await work(jobId).finally(() => running.set(person, running.get(person)! - 1));
  };
};

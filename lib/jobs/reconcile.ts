import 'server-only';
import type { Store } from '@/lib/redis/store';
import { isAlive } from './process';
import { newestJobs, readRecords } from './record';
import { conclude } from './runner';

const WINDOW = 500;

/**
 * Finds jobs whose process died in the middle and says so: interrupted, with what was done. A job whose
 * process gives signs of life is another's and is left alone.
 */
export const reconcileJobs = async (store: Store): Promise<number> => {
  const records = await readRecords(store, await newestJobs(store, 0, WINDOW));
  let interrupted = 0;
  for (const record of records) {
    if (record?.state !== 'running' || record.finishedAt !== null || !record.owner) continue;
    if (await isAlive(store, record.owner)) continue;
    await conclude(store, record.jobId, { state: 'interrupted' });
    interrupted += 1;
  }
  return interrupted;
};

'use client';

import { epochOf } from '@/lib/format';
import type { Job } from '@/lib/jobs/schema';
import { useFormat } from './use-format';

const MINUTE_MS = 60_000;

/** The duration of a finished job: "1.2 s", "4 min 3 s"; "—" while it runs. */
export const useTook = (): ((job: Pick<Job, 'startedAt' | 'finishedAt'>) => string) => {
  const format = useFormat();
  return ({ startedAt, finishedAt }) => {
    const from = epochOf(startedAt);
    const to = epochOf(finishedAt);
    if (from === null || to === null) return '—';
    return to - from < MINUTE_MS ? format.ms(to - from) : format.duration((to - from) / 1000);
  };
};

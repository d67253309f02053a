'use client';

import { epochOf } from '@/lib/format';
import type { Job } from '@/lib/jobs/schema';
import { MINUTE, SECOND } from '@/lib/time';
import { useFormat } from './use-format';

type Timed = Pick<Job, 'startedAt' | 'finishedAt'>;

/** How long a finished job took; null while it runs. */
export const secondsTaken = ({ startedAt, finishedAt }: Timed): number | null => {
  const from = epochOf(startedAt);
  const to = epochOf(finishedAt);
  return from === null || to === null ? null : (to - from) / SECOND;
};

/** The duration of a finished job: "1.2 s", "4 min 3 s"; "—" while it runs. */
export const useTook = (): ((job: Timed) => string) => {
  const format = useFormat();
  return (job) => {
    const seconds = secondsTaken(job);
    if (seconds === null) return '—';
    const ms = seconds * SECOND;
    return ms < MINUTE ? format.ms(ms) : format.duration(seconds);
  };
};

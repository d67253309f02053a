'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { Job, JobState } from '@/lib/jobs/schema';

export const JOB_COLORS: Record<JobState, string> = {
  queued: 'gray',
  running: 'indigo',
  done: 'green',
  failed: 'red',
  cancelled: 'gray',
  interrupted: 'orange',
};

export const JobStateBadge = ({ job }: { job: Pick<Job, 'state' | 'cancelling'> }) => {
  const t = useTranslations('jobs');
  return (
    <Badge color={JOB_COLORS[job.state]}>{job.cancelling ? t('cancelling') : t(`state.${job.state}`)}</Badge>
  );
};

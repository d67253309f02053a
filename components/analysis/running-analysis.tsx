'use client';

import { Button, Skeleton } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { JobProgress } from '@/components/patterns/job-progress';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { isFinished, useJob } from '@/components/patterns/use-job';
import classes from './analysis.module.css';

interface RunningAnalysisProps {
  jobId: string;
  /** It completed: its report is the newest now. */
  onDone: () => void;
  onClose: () => void;
}

/** The analysis that is running, or how it ended if it did not complete. */
export const RunningAnalysis = ({ jobId, onDone, onClose }: RunningAnalysisProps) => {
  const t = useTranslations('analysis.running');
  const { data: job, error, refetch } = useJob(jobId);
  const isDone = job?.state === 'done';
  useEffect(() => {
    if (isDone) onDone();
  }, [isDone, onDone]);
  if (isDone) return null;
  return (
    <Panel title={t('title')} className={classes.above}>
      {job ? (
        <JobProgress job={job} />
      ) : error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={80} />
      )}
      {((job && isFinished(job)) || error) && (
        <Button size="xs" variant="default" mt="xs" onClick={onClose}>
          {t('close')}
        </Button>
      )}
    </Panel>
  );
};

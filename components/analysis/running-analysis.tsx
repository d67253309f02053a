'use client';

import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { JobProgress } from '@/components/patterns/job-progress';
import { Panel } from '@/components/patterns/panel';
import { queryKeyOf } from '@/components/patterns/query-key';
import touch from '@/components/patterns/touch.module.css';
import { Unanswered } from '@/components/patterns/unanswered';
import { isFinished, useJob } from '@/components/patterns/use-job';
import { analysisContracts } from '@/lib/analysis/schema';
import { jobContracts } from '@/lib/jobs/schema';
import classes from './analysis.module.css';

interface RunningAnalysisProps {
  jobId: string;
  /** It completed: its report is the newest now. */
  onDone: () => void;
  onClose: () => void;
}

const ENDINGS = ['failed', 'cancelled', 'interrupted'] as const;
const isOver = (state: string): state is (typeof ENDINGS)[number] =>
  ENDINGS.some((ending) => ending === state);

/** The analysis that is running, or how it ended if it did not complete. */
export const RunningAnalysis = ({ jobId, onDone, onClose }: RunningAnalysisProps) => {
  const t = useTranslations('analysis.running');
  const tWord = useTranslations('words');
  const query = useJob(jobId);
  const { data: job, error } = query;
  const isDone = job?.state === 'done';
  const { id: connection } = useConnection();
  const client = useQueryClient();
  useEffect(() => {
    if (!isDone) return;
    // A short analysis was never seen running, which is what refetches elsewhere.
    for (const queryKey of [
      queryKeyOf(analysisContracts.list, connection),
      queryKeyOf(jobContracts.list, null, { connection }),
    ])
      void client.invalidateQueries({ queryKey });
    onDone();
  }, [isDone, onDone, client, connection]);
  if (isDone) return null;
  const ending = job && isOver(job.state) ? job.state : 'running';
  return (
    <Panel title={t(`title.${ending}`)} className={classes.above}>
      {job ? <JobProgress job={job} /> : <Unanswered query={query} height={80} />}
      {((job && isFinished(job)) || error) && (
        <Button size="xs" variant="default" mt="xs" className={touch.thumb} onClick={onClose}>
          {tWord('close')}
        </Button>
      )}
    </Panel>
  );
};

'use client';

import { Alert, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { Job } from '@/lib/jobs/schema';
import { HostileText } from './hostile-text';
import { useJobResult } from './job-result';
import { TextLink } from './text-link';
import { useFormat } from './use-format';
import { isFinished, useJob } from './use-job';

export interface UndoResult {
  undone: number;
  conflicts: readonly { what: string; why: string }[];
  /** An undo of many keys runs as a job. */
  jobId?: string | undefined;
}

/** The outcome of an undo, next to its button; a job is followed to its end. */
export const UndoOutcome = ({ undone, conflicts, jobId }: UndoResult) => {
  const t = useTranslations('patterns.undo');
  if (jobId) return <UndoJob jobId={jobId} />;
  return (
    <div role="status">
      {t('undone', { count: undone })}
      {conflicts.map(({ what, why }) => (
        <Text key={what} size="sm" component="div">
          {t.rich('conflict', { what: () => <HostileText max={80}>{what}</HostileText>, why })}
        </Text>
      ))}
    </div>
  );
};

const UndoJob = ({ jobId }: { jobId: string }) => {
  const t = useTranslations('patterns.undo');
  const tWord = useTranslations('words');
  const states = useTranslations('jobs.state');
  const figures = useFigures();
  const { data: job } = useJob(jobId, { isNew: true });
  return (
    <div role="status">
      {job && isFinished(job)
        ? t('ended', { state: states(job.state), figures: figures(job) })
        : t('running')}{' '}
      <TextLink c="inherit" underline="always" href={`/jobs?job=${jobId}`}>
        {tWord('viewJob')}
      </TextLink>
    </div>
  );
};

/** "Restored 2 of 6 · Rebuilt since, unchanged 4". */
const useFigures = (): ((job: Job) => string) => {
  const t = useTranslations('jobs');
  const format = useFormat();
  const resultOf = useJobResult();
  return (job) =>
    resultOf(job)
      .filter(({ name }) => job.result?.[name] !== 0)
      .map(({ name, label, value }) => {
        if (name !== 'restored' || job.total === null) return `${label} ${value}`;
        const unit = t('unit.keys', { count: job.total });
        return `${label} ${t('doneOf', { done: value, total: format.count(job.total), unit })}`;
      })
      .join(' · ');
};

export const UndoAlert = (result: UndoResult) => (
  <Alert color={result.conflicts.length > 0 ? 'orange' : result.jobId ? 'indigo' : 'green'}>
    <UndoOutcome {...result} />
  </Alert>
);

'use client';

import { Anchor, Progress, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { perSecondColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { useActionWords } from '@/components/patterns/action-words';
import { HostileText } from '@/components/patterns/hostile-text';
import { jobRate, useJobFigures } from '@/components/patterns/job-progress';
import { useJobResult } from '@/components/patterns/job-result';
import { JobStateBadge } from '@/components/patterns/job-state';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useTook } from '@/components/patterns/use-took';
import type { Job } from '@/lib/jobs/schema';
import { visibleText } from '@/lib/visible-text';

const ProgressCell = ({ job, figures }: { job: Job; figures: string }) => (
  <>
    <Text size="xs">{figures}</Text>
    <Progress value={job.progress * 100} size={4} aria-hidden />
  </>
);

/** The columns of the jobs table. */
export const useJobColumns = (onOpen: (job: Job) => void): DataColumn<Job>[] => {
  const t = useTranslations('jobs');
  const words = useActionWords();
  const figures = useJobFigures();
  const resultOf = useJobResult();
  const took = useTook();
  const result = (job: Job) =>
    resultOf(job)
      .filter(({ value }) => value !== '0')
      .map(({ label, value }) => `${label.toLowerCase()} ${value}`)
      .join(' · ') || '—';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the formatters follow the language, which t follows too
  return useMemo(
    (): DataColumn<Job>[] => [
      {
        id: 'state',
        header: t('column.state'),
        width: 105,
        pinned: true,
        cell: (job) => <JobStateBadge job={job} />,
        value: (job) => job.state,
      },
      {
        id: 'action',
        header: t('column.action'),
        width: 125,
        pinned: true,
        card: 'title',
        cell: (job) => (
          <Anchor
            component="button"
            size="sm"
            ta="start"
            onClick={() => onOpen(job)}
            aria-label={t('open', { action: words(job.action), target: visibleText(job.target ?? '—') })}
          >
            {words(job.action)}
          </Anchor>
        ),
        value: (job) => job.action,
      },
      textColumn({ id: 'target', header: t('column.target'), width: 180, max: 80, of: (job) => job.target }),
      {
        id: 'progress',
        header: t('column.progress'),
        width: 125,
        cell: (job) => <ProgressCell job={job} figures={figures(job)} />,
        value: (job) => job.done,
      },
      perSecondColumn({ id: 'rate', header: t('column.rate'), width: 75, of: jobRate }),
      {
        id: 'started',
        header: t('column.started'),
        width: 110,
        cell: (job) => <RelativeTime at={job.startedAt ?? job.createdAt} />,
        value: (job) => job.startedAt,
      },
      {
        id: 'took',
        header: t('column.took'),
        align: 'right',
        width: 75,
        cell: took,
        value: took,
      },
      {
        id: 'result',
        header: t('column.result'),
        width: 180,
        cell: (job) => (job.error ? <HostileText max={120}>{job.error}</HostileText> : result(job)),
        value: (job) => job.error ?? result(job),
      },
      textColumn({ id: 'actor', header: t('column.actor'), width: 140, of: (job) => job.actor }),
      {
        id: 'connection',
        header: t('column.connection'),
        width: 90,
        value: (job) => job.connection,
      },
    ],
    [t, words, onOpen],
  );
};

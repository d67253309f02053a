'use client';

import { Anchor } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { textColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/patterns/empty-state';
import { JobStateBadge } from '@/components/patterns/job-state';
import type { Job } from '@/lib/jobs/schema';

interface RunsTableProps {
  runs: Job[];
  loading: boolean;
  onOpen: (jobId: string) => void;
}

const summaryOf = ({ result, error }: Job): string | null =>
  typeof result?.summary === 'string' ? result.summary : error;

/** The newest profiles of this server. */
export const RunsTable = ({ runs, loading, onOpen }: RunsTableProps) => {
  const t = useTranslations('profiler.runs');
  const tWord = useTranslations('words');
  const columns = useMemo<DataColumn<Job>[]>(
    () => [
      {
        id: 'target',
        header: tWord('profile'),
        width: 170,
        pinned: true,
        cell: ({ jobId, target, actor }) => (
          <Anchor
            component="button"
            type="button"
            size="sm"
            aria-label={t('open', { target: target ?? '', actor })}
            onClick={() => onOpen(jobId)}
          >
            {target}
          </Anchor>
        ),
      },
      {
        id: 'state',
        header: tWord('state'),
        width: 130,
        cell: (job) => <JobStateBadge job={job} />,
      },
      textColumn({ id: 'summary', header: tWord('result'), width: 260, max: 200, of: summaryOf }),
      textColumn({ id: 'actor', header: tWord('user'), width: 150 }),
      timeColumn({ id: 'at', header: tWord('started'), width: 130, of: ({ createdAt }) => createdAt }),
    ],
    [t, onOpen, tWord],
  );
  return (
    <DataTable
      label={t('title')}
      name="profiles"
      columns={columns}
      rows={runs}
      rowId={({ jobId }) => jobId}
      loading={loading}
      toolbar={false}
      empty={<EmptyState title={t('none')}>{t('noneText')}</EmptyState>}
    />
  );
};

'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, timeColumn } from '@/components/data-table/column-kinds';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { TablePanel } from '@/components/data-table/table-panel';
import { useConnection } from '@/components/patterns/connection';
import { HostileText } from '@/components/patterns/hostile-text';
import { JobStateBadge } from '@/components/patterns/job-state';
import { QueryProblem } from '@/components/patterns/query-problem';
import { TextLink } from '@/components/patterns/text-link';
import type { Job } from '@/lib/jobs/schema';

interface PastChecksProps {
  query: UseQueryResult<Job[]>;
  /** The job that is shown above. */
  current: string;
}

const countIn = ({ result }: Job, name: string): number | null => {
  const value = result?.[name];
  return typeof value === 'number' ? value : null;
};

const TargetLink = ({ check: { jobId, target } }: { check: Job }) => {
  const { id: connection } = useConnection();
  return (
    <TextLink href={`/${connection}/entities?tab=check&job=${encodeURIComponent(jobId)}`}>
      <HostileText max={100}>{target ?? jobId}</HostileText>
    </TextLink>
  );
};

export const CHECK_COLUMNS = declareColumns<Job>('entities.past.column', [
  {
    id: 'target',
    width: 240,
    pinned: true,
    cell: (check) => <TargetLink check={check} />,
  },
  { id: 'state', width: 120, cell: (job) => <JobStateBadge job={job} />, value: ({ state }) => state },
  ...['dangling', 'oneSided', 'partial'].map((name) =>
    countColumn<Job>({ id: name, width: 100, of: (job) => countIn(job, name) }),
  ),
  timeColumn<Job>({ id: 'started', width: 130, of: (job) => job.createdAt }),
]);

/** The other checks of the connection, latest first, each with a link to its result. */
export const PastChecks = ({ query, current }: PastChecksProps) => {
  const t = useTranslations('entities.past');
  const columns = useDeclaredColumns(CHECK_COLUMNS);
  const rows = useMemo(
    () => (query.data ?? []).filter(({ jobId }) => jobId !== current),
    [query.data, current],
  );
  if (!query.data) return <QueryProblem of={query} />;
  return (
    <TablePanel
      title={t('title')}
      name="past-checks"
      columns={columns}
      rows={rows}
      rowId={({ jobId }) => jobId}
      nothing={t('none')}
    />
  );
};

'use client';

import { Select } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { useConnections } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar } from '@/components/patterns/filter-bar';
import { JobDrawer } from '@/components/patterns/job-drawer';
import { PageHeader } from '@/components/patterns/page-header';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import { JOB_STATES, type Job } from '@/lib/jobs/schema';
import { useJobColumns } from './job-columns';
import { type JobFilter, jobsQuery } from './queries';

const FIELDS = { state: '', connection: '', job: '' };

export const JobsPage = () => {
  const t = useTranslations('jobs');
  const [url, setUrl] = useUrlState(FIELDS);
  const query = useInfiniteQuery(jobsQuery(url));
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const open = useCallback((job: Job) => setUrl({ job: job.jobId }), [setUrl]);
  const columns = useJobColumns(open);
  const filtered = url.state !== '' || url.connection !== '';
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <JobFilters filter={url} onChange={setUrl} filtered={filtered} />
      <DataTable
        label={t('label')}
        name="jobs"
        columns={columns}
        rows={rows}
        rowId={(job) => job.jobId}
        loading={query.isPending}
        hasMore={query.hasNextPage}
        fetchingMore={query.isFetchingNextPage}
        onMore={() => void query.fetchNextPage()}
        onOpen={open}
        empty={
          <EmptyState icon={<IconListDetails size={20} />} title={t('empty.title')}>
            {filtered ? t('empty.filtered') : t('empty.text')}
          </EmptyState>
        }
      />
      <JobDrawer jobId={url.job || null} onClose={() => setUrl({ job: '' })} />
    </>
  );
};

interface JobFiltersProps {
  filter: JobFilter;
  onChange: (change: Partial<JobFilter>) => void;
  filtered: boolean;
}

const JobFilters = ({ filter, onChange, filtered }: JobFiltersProps) => {
  const t = useTranslations('jobs');
  const connections = useConnections();
  const states = JOB_STATES.map((state) => ({ value: state as string, label: t(`state.${state}`) }));
  return (
    <FilterBar onClear={filtered ? () => onChange({ state: '', connection: '' }) : undefined}>
      <Select
        aria-label={t('filter.state')}
        placeholder={t('filter.anyState')}
        data={states}
        value={filter.state || null}
        onChange={(state) => onChange({ state: state ?? '' })}
        clearable
        w={160}
      />
      <Select
        aria-label={t('filter.connection')}
        placeholder={t('filter.anyConnection')}
        data={connections.map(({ id, name }) => ({ value: id, label: name }))}
        value={filter.connection || null}
        onChange={(connection) => onChange({ connection: connection ?? '' })}
        clearable
        w={180}
      />
    </FilterBar>
  );
};

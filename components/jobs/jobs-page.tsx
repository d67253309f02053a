'use client';

import { IconListDetails } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { pagesOf } from '@/components/data-table/query-pages';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar } from '@/components/patterns/filter-bar';
import { ConnectionSelect, FilterSelect } from '@/components/patterns/filter-select';
import { JobDrawer } from '@/components/patterns/job-drawer-on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import { JOB_STATES, type Job } from '@/lib/jobs/schema';
import { useJobColumns } from './job-columns';
import { type JobFilter, jobsQuery } from './queries';

const FIELDS = { state: '', connection: '', job: '' };
const STEPS = { opens: ['job'] } as const;

export const JobsPage = () => {
  const t = useTranslations('jobs');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
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
        {...pagesOf(query)}
        live={[url.state, url.connection]}
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
  const states = JOB_STATES.map((state) => ({ value: state, label: t(`state.${state}`) }));
  return (
    <FilterBar onClear={filtered ? () => onChange({ state: '', connection: '' }) : undefined}>
      <FilterSelect
        label={t('filter.state')}
        any={t('filter.anyState')}
        data={states}
        value={filter.state}
        onChange={(state) => onChange({ state })}
      />
      <ConnectionSelect value={filter.connection} onChange={(connection) => onChange({ connection })} />
    </FilterBar>
  );
};

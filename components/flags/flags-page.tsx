'use client';

import { IconToggleLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { PageHeader } from '@/components/patterns/page-header';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import type { Flag } from '@/lib/flags/schema';
import { useFlagColumns } from './flag-columns';
import { HistoryDrawer } from './history-drawer';
import { flagQueries } from './queries';

const FIELDS = { q: '', history: '' };

const fits = ({ name, description }: Flag, words: string): boolean =>
  `${name} ${description ?? ''}`.toLowerCase().includes(words.toLowerCase());

export const FlagsPage = () => {
  const t = useTranslations('flags');
  const connection = useConnection();
  const [url, setUrl] = useUrlState(FIELDS);
  const query = useQuery(flagQueries.list(connection.id));
  const flags = query.data?.items;
  const rows = useMemo(() => flags?.filter((flag) => fits(flag, url.q.trim())) ?? [], [flags, url.q]);
  const openHistory = useCallback((flag: Flag) => setUrl({ history: flag.name }), [setUrl]);
  const columns = useFlagColumns(openHistory);
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      {query.isError && !flags ? (
        <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
          <FilterBar onClear={url.q ? () => setUrl({ q: '' }) : undefined}>
            <SearchField value={url.q} onChange={(q) => setUrl({ q })} label={t('search')} />
          </FilterBar>
          <DataTable
            label={t('title')}
            name="flags"
            columns={columns}
            rows={rows}
            rowId={(flag) => flag.name}
            loading={query.isPending}
            onOpen={openHistory}
            empty={
              <EmptyState icon={<IconToggleLeft size={20} />} title={t('empty.title')}>
                {url.q ? t('empty.filtered') : t('empty.text')}
              </EmptyState>
            }
          />
        </>
      )}
      <HistoryDrawer
        name={url.history || null}
        flag={flags?.find((flag) => flag.name === url.history)}
        onClose={() => setUrl({ history: '' })}
      />
    </>
  );
};

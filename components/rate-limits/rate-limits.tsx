'use client';

import { Button } from '@mantine/core';
import { IconGauge, IconQuestionMark } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { pagesOf } from '@/components/data-table/query-pages';
import { useConnection } from '@/components/patterns/connection';
import { Description } from '@/components/patterns/description';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { onDemand } from '@/components/patterns/on-demand';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useOpened } from '@/components/patterns/use-opened';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import { KNOWN_PROJECTS, type RateWindow } from '@/lib/rate-limits/schema';
import { FIELDS, filterOf, NO_FILTER } from './address';
import { ChangeWindow, type PlannedChange } from './change-window';
import { LimitsNote } from './limits-note';
import { rateLimitQueries } from './queries';
import { WhatIfPanel } from './what-if-panel';
import { useWindowColumns } from './window-columns';
import { WindowCounts } from './window-counts';

const WindowDrawer = onDemand(async () => (await import('./window-drawer')).WindowDrawer);

const useWindows = (connection: string, url: typeof FIELDS) => {
  const filter = useMemo(() => filterOf(url), [url]);
  const query = useInfiniteQuery(rateLimitQueries.windows(connection, filter));
  const pages = query.data?.pages;
  // A window that moves between two pages is in both: it is shown once.
  const rows = useMemo(() => {
    const distinct = new Map<string, RateWindow>();
    for (const page of pages ?? []) for (const row of page.items) distinct.set(row.fieldId, row);
    return [...distinct.values()];
  }, [pages]);
  return { query, rows, first: pages?.[0], filter };
};

/** Rate limit windows by project, and a test of a different limit. */
export const RateLimits = () => {
  const t = useTranslations('rateLimits');
  const { id } = useConnection();
  const mayWrite = useMay('guard:write');
  const [url, setUrl] = useUrlState(FIELDS);
  const { query, rows, first, filter } = useWindows(id, url);
  const drawer = useOpened<RateWindow>();
  const change = useOpened<PlannedChange>();
  const { open: plan } = change;
  const repair = useCallback((window: RateWindow) => plan({ kind: 'repair', window }), [plan]);
  const columns = useWindowColumns({ onOpen: drawer.open, onRepair: mayWrite ? repair : undefined });
  const currentOf = (window: RateWindow | null | undefined) =>
    rows.find(({ fieldId }) => fieldId === window?.fieldId) ?? null;
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  const isTesting = url.whatif !== '' || url.limit !== '' || url.period !== '' || url.project !== '';
  const filtered = filter.q !== undefined || filter.state !== undefined || filter.project !== undefined;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <Description>{t('explain')}</Description>
      <WindowCounts page={first} state={filter.state ?? ''} onState={(state) => setUrl({ state })} />
      <FilterBar
        search={<SearchField value={url.q} onChange={(q) => setUrl({ q })} label={t('search')} />}
        active={filter.project === undefined ? 0 : 1}
        onClear={filtered ? () => setUrl(NO_FILTER) : undefined}
        actions={
          <Button
            variant="default"
            leftSection={<IconQuestionMark size={16} aria-hidden />}
            aria-expanded={isTesting}
            onClick={() => setUrl({ whatif: isTesting ? '' : '1', limit: '', period: '', project: '' })}
          >
            {t('whatIf.open')}
          </Button>
        }
      >
        {(filter.project !== undefined || (first?.limits.projects ?? 0) > 0) && (
          <FilterSelect
            label={t('known.label')}
            any={t('known.any')}
            data={KNOWN_PROJECTS.map((value) => ({ value, label: t(`known.${value}`) }))}
            value={filter.project ?? ''}
            onChange={(known) => setUrl({ known })}
          />
        )}
      </FilterBar>
      {isTesting && <WhatIfPanel url={url} onChange={setUrl} />}
      <DataTable
        label={t('label')}
        name="rate-limits"
        columns={columns}
        rows={rows}
        rowId={({ fieldId }) => fieldId}
        {...pagesOf(query)}
        // Pages are short until all windows were read.
        loading={query.isPending || (rows.length === 0 && first?.complete === false)}
        live={[filter]}
        onMore={() => {
          if (!query.isError && !query.isFetching) void query.fetchNextPage();
        }}
        onOpen={drawer.open}
        sorting={{
          by: filter.sort,
          order: 'desc',
          onSort: (by) => setUrl({ sort: by }),
        }}
        empty={<Empty filtered={filtered} />}
      />
      {first && <LimitsNote limits={first.limits} />}
      <WindowDrawer
        window={currentOf(drawer.about) ?? drawer.about}
        opened={drawer.opened}
        onClose={drawer.close}
        onChange={(kind, window) => {
          drawer.close();
          plan({ kind, window });
        }}
        onWhatIf={(project) => {
          drawer.close();
          setUrl({ whatif: '1', project });
        }}
      />
      <ChangeWindow
        planned={change.about}
        opened={change.opened}
        onPlan={plan}
        onClose={change.close}
        current={currentOf(change.about?.window)}
      />
    </>
  );
};

const Empty = ({ filtered }: { filtered: boolean }) => {
  const t = useTranslations('rateLimits.empty');
  return (
    <EmptyState icon={<IconGauge size={20} />} title={t('title')}>
      {filtered ? t('filtered') : t('text')}
    </EmptyState>
  );
};

'use client';

import { IconEye } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { DataTable } from '@/components/data-table/data-table';
import { Columns } from '@/components/patterns/columns';
import { useConnection } from '@/components/patterns/connection';
import { SmallNote } from '@/components/patterns/dimmed';
import { FigureRow, type RowFigure } from '@/components/patterns/figure-row';
import { FilterBar, NO_STATUS } from '@/components/patterns/filter-bar';
import { PageHeader } from '@/components/patterns/page-header';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { QueryProblem } from '@/components/patterns/query-problem';
import { readQuery } from '@/components/patterns/read-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Select } from '@/components/patterns/select';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import type { Result } from '@/lib/contract';
import { type ViewedItem, viewContracts } from '@/lib/views/schema';
import { DriftPanel } from './drift-panel';
import { ImportsPanel } from './imports-panel';
import { useViewColumns } from './view-columns';

type Views = Result<typeof viewContracts.top>;

const FIELDS = { top: '100' };
const TOPS = ['20', '50', '100', '500', '1000'];
const NO_ROWS: ViewedItem[] = [];

/** A pass takes longer than this, and its result appears soon after its end. */
const REFETCH_MS = 10_000;

const topViewsQuery = (connection: string, limit: number) =>
  queryOptions({
    ...readQuery(viewContracts.top, connection, { limit }),
    placeholderData: keepWithin(queryKeyOf(viewContracts.top, connection)),
    refetchInterval: refetchEvery(REFETCH_MS),
  });

const idOf = ({ shoutId }: ViewedItem): string => shoutId;

/** Publications by views: what the application counted and what was imported, joined by the slug map. */
export const ViewsPage = () => {
  const t = useTranslations('views');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS);
  const top = TOPS.includes(url.top) ? url.top : FIELDS.top;
  const query = useQuery(topViewsQuery(id, Number(top)));
  const views = query.data;
  const columns = useViewColumns(views?.total ?? null);
  const header = <PageHeader title={t('title')} sentence={t('sentence')} />;
  if (query.isError && !views)
    return (
      <>
        {header}
        <QueryProblem of={query} />
      </>
    );
  const isCounting = views?.sampledAt === null;
  return (
    <>
      {header}
      <StaleBanner error={query.error} valuesFrom={views?.sampledAt ?? query.dataUpdatedAt} />
      <Totals views={views} />
      <FilterBar active={top !== FIELDS.top ? 1 : 0} status={views ? <Sampled views={views} /> : NO_STATUS}>
        <Select
          aria-label={tWord('rows')}
          data={TOPS.map((value) => ({ value, label: tWord('top', { count: Number(value) }) }))}
          value={top}
          onChange={(value) => setUrl({ top: value ?? FIELDS.top })}
          allowDeselect={false}
          w={120}
        />
      </FilterBar>
      <DataTable
        label={t('label')}
        name="views"
        columns={columns}
        rows={views?.items ?? NO_ROWS}
        rowId={idOf}
        loading={query.isPending}
        placeholder={query.isPlaceholderData}
        live={[top]}
        empty={{
          icon: IconEye,
          title: t(isCounting ? 'counting.title' : 'empty.title'),
          text: t(isCounting ? 'counting.text' : 'empty.text'),
        }}
      />
      {views && (
        <Columns mt={12}>
          <DriftPanel drift={views.drift} counted={!isCounting} />
          <ImportsPanel imports={views.imports} />
        </Columns>
      )}
    </>
  );
};

const Totals = ({ views }: { views: Views | undefined }) => {
  const t = useTranslations('views.figure');
  const tViews = useTranslations('views');
  const problems = views && views.sampledAt !== null ? views.drift.length : null;
  const figures: RowFigure[] = [
    { id: 'total', name: tViews('title'), value: views?.totalExact ?? views?.total, note: t('totalNote') },
    {
      id: 'counted',
      name: t('counted'),
      value: views?.countedExact ?? views?.counted,
      note: t('countedNote'),
    },
    {
      id: 'imported',
      name: tViews('imports.at'),
      value: views?.importedExact ?? views?.imported,
      note: t('importedNote'),
    },
    {
      id: 'publications',
      name: tViews('imports.publications'),
      value: views?.publications,
      note: t('publicationsNote'),
    },
    {
      id: 'slugs',
      name: t('slugs'),
      value: views?.slugs,
      // A map of views joins nothing, and its views are in no other figure.
      note: t(views?.slugsHold === 'views' ? 'slugsHoldViews' : 'slugsNote'),
    },
    { id: 'problems', name: tViews('drift.title'), value: problems, note: t('problemsNote') },
  ];
  return <FigureRow label={t('label')} figures={figures} loading={views === undefined} />;
};

/** When the views were counted, and whether the order is exact. */
const Sampled = ({ views: { sampledAt, exact } }: { views: Views }) => {
  const t = useTranslations('views');
  const tWord = useTranslations('words');
  if (sampledAt === null) return tWord('notCountedYet');
  return (
    <SmallNote aria-live="off">
      {tWord.rich('countedAt', { age: () => <RelativeTime at={sampledAt} /> })}
      {!exact && ` · ${t('notExact')}`}
    </SmallNote>
  );
};

'use client';

import { IconChartDots } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { pagesOf } from '@/components/data-table/query-pages';
import { useConnection } from '@/components/patterns/connection';
import { SmallNote } from '@/components/patterns/dimmed';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { QueryProblem } from '@/components/patterns/query-problem';
import { rangeOf } from '@/components/patterns/ranges';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMetricColumns } from './metric-columns';
import { columnPeriods, groupsOf, type MetricGroup, otherPeriods } from './metric-groups';
import { metricQueries } from './queries';

const MetricDrawer = onDemand(async () => (await import('./metric-drawer')).MetricDrawer);

const FIELDS = { q: '', metric: '', period: '', range: '1h' };
const STEPS = { opens: ['metric'] } as const;

const idOf = ({ id }: MetricGroup): string => id;
const SEPARATOR = '\n';

/** The application's own metrics and statistics: a row for each name, its periods side by side. */
export const MetricsPage = () => {
  const t = useTranslations('metrics');
  const { id } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const query = useInfiniteQuery(metricQueries.list(id, url.q));
  const { data, hasNextPage } = query;
  const groups = useMemo(
    () => groupsOf(data?.pages.flatMap(({ items }) => items) ?? [], hasNextPage),
    [data, hasNextPage],
  );
  // The same periods are the same columns, also after a refetch.
  const joined = columnPeriods(groups).join(SEPARATOR);
  const periods = useMemo(() => (joined === '' ? [] : joined.split(SEPARATOR)), [joined]);
  const hasOthers = groups.some((group) => otherPeriods(group, periods).length > 0);
  const columns = useMetricColumns(periods, hasOthers);
  const header = <PageHeader title={t('title')} sentence={t('sentence')} />;
  if (query.isError && !data)
    return (
      <>
        {header}
        <QueryProblem of={query} />
      </>
    );
  const { complete = true, scanned = true } = data?.pages[0] ?? {};
  const missing = complete ? null : t(scanned ? 'tooMany' : 'scanning');
  return (
    <>
      {header}
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <FilterBar
        search={<SearchField value={url.q} onChange={(q) => setUrl({ q })} label={t('search')} noSecrets />}
        onClear={url.q ? () => setUrl({ q: '' }) : undefined}
        status={data ? <SmallNote aria-live="off">{missing ?? t('explain')}</SmallNote> : NO_STATUS}
      />
      <DataTable
        {...pagesOf(query)}
        label={t('label')}
        name="metrics"
        columns={columns}
        rows={groups}
        rowId={idOf}
        onOpen={(group) => setUrl({ metric: group.id, period: '' })}
        live={[url.q]}
        empty={{
          icon: IconChartDots,
          title: t(url.q ? 'empty.filtered' : 'empty.title'),
          text: url.q ? t('empty.noMatch') : (missing ?? t('empty.text')),
        }}
      />
      <MetricDrawer
        group={groups.find((group) => group.id === url.metric) ?? null}
        period={url.period}
        range={rangeOf(url.range)}
        onPeriod={(period) => setUrl({ period })}
        onRange={(range) => setUrl({ range })}
        onClose={() => setUrl({ metric: '', period: '' })}
      />
    </>
  );
};

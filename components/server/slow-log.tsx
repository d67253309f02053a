'use client';

import { SegmentedControl } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { useDeclaredColumns } from '@/components/data-table/declared-columns';
import { useDistinctRows } from '@/components/data-table/distinct-rows';
import { pagesOf } from '@/components/data-table/query-pages';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { onDemand } from '@/components/patterns/on-demand';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useMicros } from '@/components/patterns/use-micros';
import { useOpened } from '@/components/patterns/use-opened';
import { UNKNOWN } from '@/lib/format';
import type { SlowGroup, SlowLogEntry } from '@/lib/server/schema';
import { type Fields, MIN_DURATIONS, NO_FILTER, slowFilterOf } from './address';
import { Missing, Refused } from './parts';
import { serverQueries } from './queries';
import { SLOW_COLUMNS } from './slow-columns';
import { SlowSummary } from './slow-summary';

const SlowEntryDrawer = onDemand(async () => (await import('./slow-entry-drawer')).SlowEntryDrawer);

interface SlowLogProps {
  url: Fields;
  onChange: (change: Partial<Fields>) => void;
}

const idOf = ({ id }: SlowLogEntry): string => id;

const optionsOf = (groups: readonly SlowGroup[] | undefined) =>
  (groups ?? []).flatMap(({ id, title }) => (id === null ? [] : [{ value: id, label: title ?? id }]));

/** Commands that took long, with their families and clients, and which of them cost the most. */
export const SlowLog = ({ url, onChange }: SlowLogProps) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const micros = useMicros();
  const { id } = useConnection();
  const filter = useMemo(() => slowFilterOf(url), [url]);
  const query = useInfiniteQuery(serverQueries.slowLog(id, filter));
  const rows = useDistinctRows(query.data?.pages, idOf);
  const [first] = query.data?.pages ?? [];
  const drawer = useOpened<SlowLogEntry>();
  const columns = useDeclaredColumns(SLOW_COLUMNS, rows.every(({ node }) => node === null) && 'node');
  if (query.isError && !query.data) return <QueryProblem of={query} />;
  const { order: _, ...filters } = filter;
  const isFiltered = Object.keys(filters).length > 0;
  const isOff = first?.thresholdMicros != null && first.thresholdMicros < 0;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <Refused refused={first?.refused} />
      <FilterBar
        search={
          <SearchField value={url.q} onChange={(q) => onChange({ q })} label={t('slow.search')} noSecrets />
        }
        active={[url.family, url.command, url.min, url.own].filter(Boolean).length}
        onClear={isFiltered ? () => onChange({ ...NO_FILTER, order: url.order }) : undefined}
        status={
          !first
            ? NO_STATUS
            : first.total === null || first.read === null || first.length === null
              ? UNKNOWN
              : t('slow.status', { total: first.total, read: first.read, length: first.length })
        }
      >
        <SegmentedControl
          aria-label={t('slow.order')}
          data={[
            { value: '', label: t('slow.newest') },
            { value: 'slowest', label: t('slow.slowest') },
          ]}
          value={url.order === 'slowest' ? 'slowest' : ''}
          onChange={(order) => onChange({ order })}
        />
        <FilterSelect
          label={tWord('families')}
          any={tWord('anyFamily')}
          data={optionsOf(first?.byFamily)}
          value={url.family}
          onChange={(family) => onChange({ family })}
          searchable
        />
        <FilterSelect
          label={tWord('command')}
          any={t('slow.anyCommand')}
          data={optionsOf(first?.byCommand)}
          value={url.command}
          onChange={(command) => onChange({ command })}
          searchable
        />
        <FilterSelect
          label={tWord('duration')}
          any={t('slow.anyDuration')}
          data={MIN_DURATIONS.map((value) => ({ value, label: `≥ ${micros(Number(value))}` }))}
          value={url.min}
          onChange={(min) => onChange({ min })}
          width={140}
        />
        <FilterSelect
          label={t('clients.column.own')}
          any={t('own.without')}
          data={[{ value: 'too', label: t('clients.any.own') }]}
          value={url.own}
          onChange={(own) => onChange({ own })}
          width={205}
        />
      </FilterBar>
      <DataTable
        label={t('tab.slowlog')}
        name="slow-log"
        columns={columns}
        rows={rows}
        rowId={idOf}
        {...pagesOf(query)}
        live={[filter]}
        onOpen={drawer.open}
        empty={
          !first?.refused && (
            <EmptyState
              icon={<IconHourglass size={20} />}
              title={t(isFiltered ? 'slow.noMatch' : isOff ? 'slow.isOff' : 'slow.none')}
            >
              {isFiltered
                ? t('slow.noMatchText')
                : isOff
                  ? t('slow.isOffText')
                  : first?.thresholdMicros == null
                    ? t('slow.noneUnknown')
                    : t('slow.noneText', { threshold: micros(first.thresholdMicros) })}
            </EmptyState>
          )
        }
      />
      <Missing commands={first?.missing ?? []} />
      {first && <SlowSummary byFamily={first.byFamily} byCommand={first.byCommand} />}
      <SlowEntryDrawer
        entry={drawer.about}
        {...drawer.props}
        onClient={(q) => onChange({ ...NO_FILTER, tab: 'clients', q })}
      />
    </>
  );
};

'use client';

import { Checkbox } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, keyColumn, perSecondColumn, rateColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useDistinctRows } from '@/components/data-table/distinct-rows';
import { pagesOf } from '@/components/data-table/query-pages';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, NO_STATUS, SearchField } from '@/components/patterns/filter-bar';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useFormat } from '@/components/patterns/use-format';
import { useMicros } from '@/components/patterns/use-micros';
import { UNKNOWN } from '@/lib/format';
import type { CommandStats } from '@/lib/server/schema';
import { commandFilterOf, type Fields, NO_FILTER, sortText } from './address';
import { Missing, Refused } from './parts';
import { serverQueries } from './queries';

const commandOf = ({ command }: CommandStats): string => command;

const percentileOf = ({ percentiles }: CommandStats, wanted: number): number | null =>
  percentiles.find(({ percentile }) => percentile === wanted)?.micros ?? null;

/** Column ids are the server's orders. */
const useColumns = (): DataColumn<CommandStats>[] => {
  const t = useTranslations('server');
  const micros = useMicros();
  return useMemo(() => {
    const duration = (
      id: string,
      header: string,
      of: (row: CommandStats) => number | null,
      more: Partial<DataColumn<CommandStats>> = {},
    ): DataColumn<CommandStats> => ({
      id,
      header,
      width: 90,
      align: 'right',
      value: of,
      ...more,
      cell: (row) => micros(of(row)),
    });
    return [
      keyColumn({ id: 'command', header: t('column.command'), width: 150, pinned: true, of: commandOf }),
      countColumn({
        id: 'calls',
        header: t('column.calls'),
        width: 100,
        sortable: true,
        of: ({ calls }) => calls,
      }),
      perSecondColumn({
        id: 'rate',
        header: t('column.rate'),
        width: 90,
        sortable: true,
        of: ({ callsPerSecond }) => callsPerSecond,
      }),
      duration('perCall', t('column.perCall'), ({ usecPerCall }) => usecPerCall, { sortable: true }),
      rateColumn({
        id: 'time',
        header: t('column.time'),
        width: 90,
        sortable: true,
        of: ({ timeShare }) => timeShare,
      }),
      duration('p50', t('column.p50'), (row) => percentileOf(row, 50), { hiddenAtFirst: true }),
      duration('p99', t('column.p99'), (row) => percentileOf(row, 99)),
      countColumn({
        id: 'rejected',
        header: t('column.rejected'),
        width: 90,
        sortable: true,
        of: ({ rejectedCalls }) => rejectedCalls,
      }),
      countColumn({
        id: 'failed',
        header: t('column.failed'),
        width: 90,
        sortable: true,
        of: ({ failedCalls }) => failedCalls,
      }),
    ];
  }, [t, micros]);
};

interface CommandListProps {
  url: Fields;
  onChange: (change: Partial<Fields>) => void;
}

/** How often each command is called, how long it takes and how often it fails. */
export const CommandList = ({ url, onChange }: CommandListProps) => {
  const t = useTranslations('server');
  const format = useFormat();
  const { id } = useConnection();
  const filter = useMemo(() => commandFilterOf(url), [url]);
  const query = useInfiniteQuery(serverQueries.commands(id, filter));
  const rows = useDistinctRows(query.data?.pages, commandOf);
  const columns = useColumns();
  const [first] = query.data?.pages ?? [];
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  const isFiltered = filter.q !== undefined || filter.failing !== undefined;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <Refused refused={first?.refused} />
      <FilterBar
        search={<SearchField value={url.q} onChange={(q) => onChange({ q })} label={t('commands.search')} />}
        active={filter.failing ? 1 : 0}
        onClear={isFiltered ? () => onChange({ ...NO_FILTER, sort: url.sort }) : undefined}
        status={
          first?.refused
            ? UNKNOWN
            : first
              ? first.windowSeconds === null
                ? t('commands.noWindow')
                : t('commands.window', {
                    rate: format.perSecond(first.callsPerSecond),
                    window: format.number(first.windowSeconds),
                  })
              : NO_STATUS
        }
      >
        <Checkbox
          label={t('commands.failing')}
          checked={filter.failing === true}
          onChange={(event) => onChange({ failing: event.currentTarget.checked ? 'true' : '' })}
        />
      </FilterBar>
      <DataTable
        label={t('tab.commands')}
        name="command-statistics"
        columns={columns}
        rows={rows}
        rowId={commandOf}
        {...pagesOf(query)}
        live={[filter]}
        sorting={{
          by: filter.sort ?? 'time',
          order: filter.order ?? 'desc',
          onSort: (by, order) => onChange({ sort: sortText(by, order) }),
        }}
        empty={
          !first?.refused && (
            <EmptyState icon={<IconTerminal2 size={20} />} title={t('commands.none')}>
              {t(isFiltered ? 'commands.noMatch' : 'commands.noneText')}
            </EmptyState>
          )
        }
      />
      <Missing commands={first?.missing ?? []} />
    </>
  );
};

'use client';

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { pagesOf } from '@/components/data-table/query-pages';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, NO_STATUS } from '@/components/patterns/filter-bar';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import type { ListedKey } from '@/lib/keys/listed/schema';

interface ListedPage<Row> {
  items: Row[];
  total: number;
  complete: boolean;
}

interface ListedTableProps<Row extends ListedKey> {
  /** Of the texts, and the name of exported files. */
  list: 'queues' | 'leaderboards' | 'counters';
  icon: ReactNode;
  query: UseInfiniteQueryResult<InfiniteData<ListedPage<Row>>>;
  columns: DataColumn<Row>[];
  /** What the rows answer. */
  live: readonly unknown[];
  onOpen?: (row: Row) => void;
  /** How many filters are set, and their fields. */
  active?: number;
  children?: ReactNode;
}

const idOf = ({ keyId }: ListedKey): string => keyId;

/** Keys listed by their role, in the order of their names; refetched while somebody looks. */
export const ListedTable = <Row extends ListedKey>(props: ListedTableProps<Row>) => {
  const { list, icon, query, columns, live, onOpen, active = 0, children } = props;
  const t = useTranslations('queues');
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const first = query.data?.pages[0];
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  const isScanning = first !== undefined && !first.complete && rows.length === 0;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <FilterBar active={active} status={first ? <Found list={list} {...first} /> : NO_STATUS}>
        {children}
      </FilterBar>
      <DataTable
        {...pagesOf(query)}
        label={t(`${list}.label`)}
        name={list}
        columns={columns}
        rows={rows}
        rowId={idOf}
        loading={query.data === undefined || isScanning}
        live={live}
        {...(onOpen && { onOpen })}
        empty={
          <EmptyState icon={icon} title={t(`${list}.empty.title`)}>
            {t(`${list}.empty.text`)}
          </EmptyState>
        }
      />
    </>
  );
};

const Found = ({
  list,
  total,
  complete,
}: { list: ListedTableProps<ListedKey>['list'] } & Omit<ListedPage<never>, 'items'>) => {
  const t = useTranslations('queues');
  return complete ? t(`${list}.found`, { count: total }) : t('incomplete', { count: total });
};

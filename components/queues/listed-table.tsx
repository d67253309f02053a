'use client';

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { pagesOf } from '@/components/data-table/query-pages';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, NO_STATUS } from '@/components/patterns/filter-bar';
import { useNow } from '@/components/patterns/now';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StaleBanner } from '@/components/patterns/stale-banner';
import type { ListedKey } from '@/lib/key-values/schema';

interface ListedPage<Row> {
  items: Row[];
  total: number;
  complete: boolean;
  /** null: the first scan is running. */
  foundAt: string | null;
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
  /** The text filter, and what empties it while it is set. */
  search?: ReactNode;
  onClear?: (() => void) | undefined;
  /** How many filters are set, and their fields. */
  active?: number;
  children?: ReactNode;
}

/** Older than this the scan may lack keys that somebody just wrote. */
const RECENT_MS = 10_000;

const idOf = ({ keyId }: ListedKey): string => keyId;

/** Keys listed by their role, in the order of their names; refetched while somebody looks. */
export const ListedTable = <Row extends ListedKey>(props: ListedTableProps<Row>) => {
  const { list, icon, query, columns, live, onOpen, search, onClear, active = 0, children } = props;
  const t = useTranslations('queues');
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const first = query.data?.pages[0];
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  const isScanning = first?.foundAt === null && rows.length === 0;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <FilterBar
        search={search}
        active={active}
        onClear={onClear}
        status={first ? <Found list={list} isSearch={onClear !== undefined} {...first} /> : NO_STATUS}
      >
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
          onClear ? (
            <EmptyState icon={icon} title={t('noMatch.title')}>
              {t('noMatch.text')}
            </EmptyState>
          ) : (
            <EmptyState icon={icon} title={t(`${list}.empty.title`)}>
              {t(`${list}.empty.text`)}
            </EmptyState>
          )
        }
      />
    </>
  );
};

interface FoundProps extends Omit<ListedPage<never>, 'items'> {
  list: ListedTableProps<ListedKey>['list'];
  isSearch: boolean;
}

/** How many keys there are, and when they were found unless that was just now. */
const Found = ({ list, total, complete, foundAt, isSearch }: FoundProps) => {
  const t = useTranslations('queues');
  const now = useNow();
  if (foundAt === null) return t('scanning', { count: total });
  const found = () => {
    if (isSearch) return t(complete ? 'searched' : 'searchedFirst', { count: total });
    return complete ? t(`${list}.found`, { count: total }) : t('tooMany', { count: total });
  };
  const isOld = now !== null && now - Date.parse(foundAt) > RECENT_MS;
  return (
    <>
      {found()}
      {isOld && <> · {t.rich('foundAt', { age: () => <RelativeTime at={foundAt} /> })}</>}
    </>
  );
};

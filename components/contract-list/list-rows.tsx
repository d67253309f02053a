'use client';

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import type { DataColumn, Selection, Sorting } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useDistinctRows } from '@/components/data-table/distinct-rows';
import { pagesOf } from '@/components/data-table/query-pages';
import { ScanFooter, ScannedKeys } from '@/components/data-table/scan-footer';
import { useScanTable } from '@/components/data-table/use-scan-table';
import type { Texts } from '@/components/patterns/use-texts';
import { wholeOf } from '@/components/patterns/whole';
import type { AnyList } from './declare-list';
import { OpenRow } from './opens-row';

type Row = unknown;
export type ListPages = { items: Row[]; nextCursor: string | null; examined?: number };

export interface RowsProps {
  list: AnyList;
  t: Texts;
  query: UseInfiniteQueryResult<InfiniteData<ListPages>>;
  filter: Record<string, string>;
  isFiltered: boolean;
  columns: DataColumn<Row>[];
  drawers: (rows: readonly Row[]) => ReactNode;
  onOpen: ((row: Row) => void) | undefined;
  selection: Selection<Row> | undefined;
  sorting: Sorting | undefined;
}

/** The rows of a list whose pages are full. */
export const PagedRows = (props: RowsProps) => {
  const { list, query } = props;
  const rows = useDistinctRows(query.data?.pages, list.rowId);
  const first = query.data?.pages[0];
  const reading = rows.length === 0 && first !== undefined && list.isReading?.(first) === true;
  return <Rows {...props} {...pagesOf(query)} rows={rows} loading={query.isPending || reading} />;
};

/** The rows of a list that a scan finds, and how far it is. */
export const ScannedRows = (props: RowsProps) => {
  const { list, query, filter } = props;
  const { scan } = list;
  const found = useScanTable(query, list.rowId);
  const last = query.data?.pages.at(-1);
  const keys = wholeOf(found.examined, (last && scan?.keys(last)) ?? undefined);
  const complete = !query.hasNextPage;
  const Note = scan?.note;
  return (
    <>
      <Rows {...props} {...found.table} paused={found.paused} />
      {last && !found.searching && (
        <ScanFooter paused={found.paused} onMore={found.goOn}>
          {Note ? (
            <Note examined={found.examined} keys={keys} complete={complete} filter={filter} />
          ) : (
            <ScannedKeys count={found.examined} keys={keys} complete={complete} />
          )}
        </ScanFooter>
      )}
    </>
  );
};

interface TableProps extends RowsProps, ReturnType<typeof pagesOf> {
  rows: Row[];
  loading: boolean;
  paused?: boolean;
}

const Rows = ({ list, t, query, filter, isFiltered, drawers, paused = false, ...table }: TableProps) => {
  const shared = useTranslations('patterns.list');
  const { onOpen, selection, ...rest } = table;
  const [first] = query.data?.pages ?? [];
  const [title, text] = ((): [string, string] => {
    if (paused) return [shared('noMatchYet'), shared('soFar')];
    if (!isFiltered) return [t('empty.title'), t('empty.text')];
    if (list.ownFiltered) return [t('empty.title'), t('empty.filtered')];
    return [shared('noMatch'), shared('filtered')];
  })();
  return (
    <>
      <OpenRow value={onOpen}>
        <DataTable
          {...rest}
          label={t('label')}
          name={list.name}
          savesViews
          rowId={list.rowId}
          {...(list.everyMs !== false && { live: [filter, table.sorting?.by, table.sorting?.order] })}
          {...(onOpen && { onOpen })}
          {...(selection && { selection })}
          empty={!(first && list.isUnknown?.(first)) && { icon: list.icon, title, text }}
        />
      </OpenRow>
      {drawers(table.rows)}
    </>
  );
};

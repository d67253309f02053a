'use client';

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { pagesOf } from './query-pages';

/** Pages fetched before somebody is asked to go on: a filter that finds little must not scan without end. */
const MAX_PAGES_PER_LOAD = 40;

interface ScanPage<Row> {
  items: Row[];
  /** Keys looked at for this page, and keys in the keyspace. */
  examined: number;
  keys: number;
}

/**
 * The rows of a list that is found by scanning: pages are short and only the last one ends the list. `rowId` must
 * be the same for the same row, since SCAN may give a key twice, and be declared outside the component.
 */
export const useScanPages = <Row>(
  query: UseInfiniteQueryResult<InfiniteData<ScanPage<Row>>>,
  rowId: (row: Row) => string,
) => {
  const [allowed, setAllowed] = useState(MAX_PAGES_PER_LOAD);
  const pages = query.data?.pages;
  const rows = useMemo(() => {
    const distinct = new Map<string, Row>();
    for (const page of pages ?? []) for (const row of page.items) distinct.set(rowId(row), row);
    return [...distinct.values()];
  }, [pages, rowId]);
  const count = pages?.length ?? 0;
  const paused = query.hasNextPage && (count >= allowed || query.isError);
  return {
    rows,
    /** More is there, and somebody has to ask for it (`goOn`). */
    paused,
    examined: pages?.reduce((sum, page) => sum + page.examined, 0) ?? 0,
    keys: pages?.at(-1)?.keys ?? 0,
    pages: {
      ...pagesOf(query),
      onMore: () => {
        if (!paused && !query.isFetchingNextPage) void query.fetchNextPage();
      },
    },
    goOn: () => {
      setAllowed(count + MAX_PAGES_PER_LOAD);
      void query.fetchNextPage();
    },
  };
};

'use client';

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { wholeOf } from '@/components/patterns/whole';
import { useDistinctRows } from './distinct-rows';
import { pagesOf } from './query-pages';

/** Pages fetched before the scan pauses: a filter with few matches must not scan the complete keyspace unasked. */
const MAX_PAGES_PER_LOAD = 40;

export interface ScanPage<Row> {
  items: Row[];
  /** Keys examined for this page, and keys in the keyspace. */
  examined?: number;
  keys?: number;
}

/**
 * The rows of a scanned list: pages can be short or empty, and only a missing cursor ends the list. SCAN may return
 * a key twice, so rows are deduplicated by `rowId`, which must be declared outside the component.
 */
export const useScanPages = <Row>(
  query: UseInfiniteQueryResult<InfiniteData<ScanPage<Row>>>,
  rowId: (row: Row) => string,
) => {
  const [allowed, setAllowed] = useState(MAX_PAGES_PER_LOAD);
  const pages = query.data?.pages;
  const rows = useDistinctRows(pages, rowId);
  const count = pages?.length ?? 0;
  const examined = pages?.reduce((sum, page) => sum + (page.examined ?? 0), 0) ?? 0;
  const paused = query.hasNextPage && (count >= allowed || query.isError);
  return {
    rows,
    /** Whether there are more pages, and the user must continue (`goOn`). */
    paused,
    examined,
    keys: wholeOf(examined, pages?.at(-1)?.keys),
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

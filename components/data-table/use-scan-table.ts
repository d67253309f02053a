'use client';

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useFirstRows } from './use-first-rows';
import { type ScanPage, useScanPages } from './use-scan-pages';

/** The rows of a scan for a table: the scan goes on by itself until it has found a row, or pauses. */
export const useScanTable = <Row>(
  query: UseInfiniteQueryResult<InfiniteData<ScanPage<Row>>>,
  rowId: (row: Row) => string,
) => {
  const found = useScanPages(query, rowId);
  const searching = useFirstRows(query, found);
  return {
    ...found,
    /** Until the first row: the list is loading, not empty. */
    searching,
    table: {
      ...found.pages,
      rows: found.rows,
      rowId,
      loading: (found.pages.loading ?? false) || searching,
      hasMore: query.hasNextPage && !found.paused,
    },
  };
};

'use client';

import { useEffect } from 'react';

interface ScannedQuery {
  hasNextPage: boolean;
  isFetching: boolean;
}

interface ScannedRows {
  rows: readonly unknown[];
  paused: boolean;
  pages: { onMore?: (() => void) | undefined };
}

/**
 * Continues the scan until the first row: a table without rows cannot be scrolled to its end. Returns whether it is
 * still searching; until then the list is loading, not empty.
 */
export const useFirstRows = (query: ScannedQuery, found: ScannedRows): boolean => {
  const searching = found.rows.length === 0 && query.hasNextPage && !found.paused;
  const { onMore } = found.pages;
  const idle = searching && !query.isFetching;
  useEffect(() => {
    if (idle) onMore?.();
  });
  return searching;
};

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
 * Scans on until there is a first row: a table without rows has no end that could be scrolled to. Returns whether it
 * is still searching for one; until then the list is loading, not empty.
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

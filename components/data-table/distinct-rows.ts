'use client';

import { useMemo } from 'react';

/** Rows of all pages: a row that moved between two pages is in both, and shown once. Declare `rowId` at module scope. */
export const useDistinctRows = <Row>(
  pages: readonly { items: readonly Row[] }[] | undefined,
  rowId: (row: Row) => string,
): Row[] =>
  useMemo(() => {
    const distinct = new Map<string, Row>();
    for (const page of pages ?? []) for (const row of page.items) distinct.set(rowId(row), row);
    return [...distinct.values()];
  }, [pages, rowId]);

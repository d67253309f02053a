'use client';

import { useMemo } from 'react';
import { useTexts } from '@/components/patterns/use-texts';
import type { DataColumn, ListColumn } from './columns';

export interface DeclaredColumns<Row> {
  /** Where the headers are, by the columns' ids. */
  texts: string;
  columns: readonly ListColumn<Row>[];
}

/** Declares the columns of a table at module scope. `components/messages.test.ts` looks for their headers. */
export const declareColumns = <Row>(
  texts: string,
  columns: readonly ListColumn<Row>[],
): DeclaredColumns<Row> => ({ texts, columns });

/** `without`: the id of a column that these rows do not need. */
export const useDeclaredColumns = <Row>(
  { texts, columns }: DeclaredColumns<Row>,
  without?: string | false,
): DataColumn<Row>[] => {
  const t = useTexts(texts);
  return useMemo(
    () =>
      columns
        .filter(({ id }) => id !== without)
        .map((column) => ({ ...column, header: column.header ?? t(column.id) })),
    [columns, t, without],
  );
};

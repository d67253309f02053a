'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
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
  const t = useTranslations(texts as never) as unknown as (key: string) => string;
  return useMemo(
    () =>
      columns
        .filter(({ id }) => id !== without)
        .map((column) => ({ ...column, header: column.header ?? t(column.id) })),
    [columns, t, without],
  );
};

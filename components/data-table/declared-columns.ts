'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Texts, useTexts } from '@/components/patterns/use-texts';
import type { DataColumn, ListColumn } from './columns';

export interface DeclaredColumns<Row> {
  /** Where the headers are; those that many tables have are in `words`. */
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
  const own = useTexts(texts);
  const words = useTranslations('words') as Texts;
  return useMemo(
    () =>
      columns
        .filter(({ id }) => id !== without)
        .map((column) => {
          const key = column.header ?? column.id;
          return { ...column, header: (own.has(key) ? own : words)(key) };
        }),
    [columns, own, words, without],
  );
};

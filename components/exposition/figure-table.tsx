'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { codeColumn, countColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/patterns/empty-state';
import { figuresQuery } from '@/components/patterns/figures-query';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { ServerSentence } from '@/components/patterns/server-sentence';
import { StaleBanner } from '@/components/patterns/stale-banner';
import type { FigureItem } from '@/lib/exposition/schema';

const useColumns = (): DataColumn<FigureItem>[] => {
  const t = useTranslations('exposition');
  const tWord = useTranslations('words');
  return useMemo(
    (): DataColumn<FigureItem>[] => [
      {
        ...codeColumn({ id: 'name', header: tWord('name'), width: 300 }),
        pinned: true,
      },
      {
        id: 'help',
        header: t('column.help'),
        width: 420,
        cell: ({ help }) => <ServerSentence max={300}>{help}</ServerSentence>,
      },
      {
        id: 'unit',
        header: t('column.unit'),
        width: 100,
        cell: ({ unit }) => t(`unit.${unit}`),
      },
      textColumn({
        id: 'labels',
        header: t('column.labels'),
        width: 150,
        of: ({ labels }) => ['connection', ...labels].join(', '),
      }),
      countColumn({ id: 'series', header: tWord('series'), width: 80, of: ({ values }) => values.length }),
    ],
    [t, tWord],
  );
};

/** What a scrape answers for a connection, and how many series each figure has now. */
export const FigureTable = ({ connection }: { connection: string }) => {
  const t = useTranslations('exposition');
  const [q, setQ] = useState('');
  const { data, error, dataUpdatedAt } = useQuery(figuresQuery(connection));
  const columns = useColumns();
  const wanted = q.trim().toLowerCase();
  const rows = (data?.items ?? []).filter(({ name, help }) =>
    `${name} ${help}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <StaleBanner error={error} valuesFrom={dataUpdatedAt} />
      <FilterBar search={<SearchField value={q} onChange={setQ} label={t('search')} />} />
      <DataTable
        label={t('label')}
        name="figures"
        columns={columns}
        rows={rows}
        rowId={({ name }) => name}
        loading={data === undefined}
        live={[q]}
        empty={<EmptyState title={t('none')}>{t('noneNote')}</EmptyState>}
      />
    </>
  );
};

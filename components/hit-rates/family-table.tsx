'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Sorting } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/patterns/empty-state';
import { useRateColumns } from './family-columns';
import classes from './hit-rates.module.css';
import { type RateRow, sorted } from './rows';

interface FamilyTableProps {
  connection: string;
  rows: readonly RateRow[];
  instance: number | null;
  stepSeconds: number | null;
  loading: boolean;
  placeholder: boolean;
  sorting: Sorting;
  onOpen: (family: string) => void;
}

/** Every family with its figure, those that cost the origin most first, and the caches that have none. */
export const FamilyTable = (props: FamilyTableProps) => {
  const { connection, rows, sorting, onOpen } = props;
  const t = useTranslations('hitRates.families');
  const columns = useRateColumns(props);
  const inOrder = useMemo(() => sorted(rows, sorting.by, sorting.order), [rows, sorting.by, sorting.order]);
  return (
    <div className={classes.panel}>
      <DataTable
        label={t('table')}
        name={`hit-rates-${connection}`}
        columns={columns}
        rows={inOrder}
        rowId={({ family }) => family}
        loading={props.loading}
        placeholder={props.placeholder}
        live={[sorting.by, sorting.order]}
        sorting={sorting}
        onOpen={({ family }) => onOpen(family)}
        empty={<EmptyState title={t('empty')}>{t('emptyNote')}</EmptyState>}
      />
    </div>
  );
};

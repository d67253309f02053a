'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Sorting } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/patterns/empty-state';
import { type LineControl, useRateColumns } from './family-columns';
import classes from './hit-rates.module.css';
import { type RateRow, sorted } from './rows';

interface FamilyTableProps {
  connection: string;
  rows: readonly RateRow[];
  instance: number | null;
  /** The range of the points, in epoch ms. */
  span: { from: number; to: number };
  lines: LineControl;
  stepSeconds: number | null;
  loading: boolean;
  placeholder: boolean;
  sorting: Sorting;
  onOpen: (family: string) => void;
}

/** Every family with its figures, most misses per second first, and the caches without figures. */
export const FamilyTable = (props: FamilyTableProps) => {
  const { connection, rows, sorting, onOpen } = props;
  const t = useTranslations('hitRates.families');
  const columns = useRateColumns(props);
  const ordered = useMemo(() => sorted(rows, sorting.by, sorting.order), [rows, sorting.by, sorting.order]);
  return (
    <div className={classes.panel}>
      <DataTable
        label={t('table')}
        name={`hit-rates-${connection}`}
        columns={columns}
        rows={ordered}
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

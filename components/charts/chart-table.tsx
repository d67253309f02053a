'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useFormat } from '@/components/patterns/use-format';
import type { Sample } from './gaps';
import type { Series } from './series';

interface ChartTableProps {
  label: string;
  name: string;
  series: Series[];
  points: Sample[];
  format: (value: number | null) => string;
}

/** The values of a chart, newest first, as a table that can be exported. */
export const ChartTable = ({ label, name, series, points, format }: ChartTableProps) => {
  const tWord = useTranslations('words');
  const { absolute } = useFormat();
  const columns = useMemo<DataColumn<Sample>[]>(
    () => [
      {
        id: 'at',
        header: tWord('time'),
        width: 200,
        pinned: true,
        cell: (row) => absolute(row.at),
        value: (row) => new Date(row.at).toISOString(),
      },
      ...series.map(
        ({ id, name }): DataColumn<Sample> => ({
          id,
          header: name,
          align: 'right',
          width: 120,
          cell: (row) => format(row[id] ?? null),
          value: (row) => row[id] ?? null,
        }),
      ),
    ],
    [series, format, absolute, tWord],
  );
  const rows = useMemo(() => points.toReversed(), [points]);
  return (
    <DataTable label={label} name={name} columns={columns} rows={rows} rowId={(row) => String(row.at)} />
  );
};

'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useFormat } from '@/components/patterns/use-format';
import type { HitRatePoint } from '@/lib/hit-rates/schema';
import type { RateRow } from './rows';

type Row = HitRatePoint & { family: string; title: string };

interface PointTableProps {
  connection: string;
  rows: readonly RateRow[];
  drawn: readonly string[];
}

/** The points behind the lines, newest first, with the counts they rest on. */
export const PointTable = ({ connection, rows, drawn }: PointTableProps) => {
  const t = useTranslations('hitRates');
  const tWord = useTranslations('words');
  const format = useFormat();
  const points = useMemo(
    () =>
      rows
        .filter(({ family }) => drawn.includes(family))
        .flatMap(({ family, title, points }) => points.map((point): Row => ({ ...point, family, title })))
        .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)),
    [rows, drawn],
  );
  const columns = useMemo(
    (): DataColumn<Row>[] => [
      ...(['at', 'to'] as const).map(
        (id): DataColumn<Row> => ({
          id,
          header: t(id === 'at' ? 'families.pointFrom' : 'families.pointTo'),
          width: 190,
          ...(id === 'at' && { pinned: true }),
          cell: (row) => format.absolute(Date.parse(row[id])),
          value: (row) => row[id],
        }),
      ),
      {
        id: 'family',
        header: tWord('family'),
        width: 190,
        cell: ({ title }) => title,
      },
      {
        id: 'hitRate',
        header: tWord('hitRate'),
        width: 150,
        align: 'right',
        cell: ({ tooFew, n, hitRate }) =>
          tooFew ? t('families.tooFewLookups', { count: n }) : format.ratio(hitRate),
      },
      {
        id: 'error',
        header: t('families.pointError'),
        width: 80,
        align: 'right',
        cell: ({ error }) => format.number(error === null ? null : error * 100),
      },
      ...(['hits', 'misses'] as const).map((id) =>
        countColumn({ id, header: t(`families.${id}`), width: 90, of: (row: Row) => row[id] }),
      ),
      {
        id: 'windowSeconds',
        header: t('families.observed'),
        width: 120,
        align: 'right',
        cell: ({ windowSeconds }) => format.number(windowSeconds, 2),
      },
    ],
    [t, format, tWord],
  );
  return (
    <DataTable
      label={t('families.points')}
      name={`${connection}-hit-rates`}
      columns={columns}
      rows={points}
      rowId={({ family, at }) => `${family} ${at}`}
    />
  );
};

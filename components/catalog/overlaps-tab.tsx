'use client';

import { IconLayersIntersect } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { keyColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import type { Catalog } from '@/lib/catalog/schema';
import { TabTable } from './tab-table';

type Row = Catalog['overlaps'][number];

/** Families that can match the same key. */
export const OverlapsTab = ({ catalog }: { catalog: Catalog | undefined }) => {
  const t = useTranslations('catalog.overlaps');
  const tWord = useTranslations('words');
  const columns = useMemo(
    (): DataColumn<Row>[] => [
      {
        id: 'families',
        header: tWord('families'),
        width: 260,
        pinned: true,
        cell: ({ families }) => families.map((id) => <div key={id}>{id}</div>),
        value: ({ families }) => families.join(' '),
      },
      keyColumn({ id: 'example', header: t('column.example'), width: 220 }),
      { id: 'winner', header: t('column.winner'), width: 180 },
    ],
    [t, tWord],
  );
  return (
    <TabTable
      note={t('note')}
      label={t('label')}
      rows={catalog?.overlaps}
      name="overlaps"
      columns={columns}
      rowId={({ families }) => families.join(' ')}
      empty={{ icon: IconLayersIntersect, title: t('empty'), text: t('emptyText') }}
    />
  );
};

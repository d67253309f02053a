'use client';

import { IconCircleCheck } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowName } from '@/components/data-table/row-name';
import type { Catalog, DriftRow } from '@/lib/catalog/schema';
import { useDriftWords } from './drift-words';
import { TabTable } from './tab-table';

interface DriftTabProps {
  catalog: Catalog | undefined;
  onFamily: (family: string) => void;
}

/** Where stored keys contradict the catalog. */
export const DriftTab = ({ catalog, onFamily }: DriftTabProps) => {
  const t = useTranslations('catalog.drift');
  const tCatalog = useTranslations('catalog');
  const tWord = useTranslations('words');
  const words = useDriftWords();
  const titles = useMemo(
    () => new Map(catalog?.families.map(({ id, title }) => [id, title])),
    [catalog?.families],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words and the function are the same in every rendering
  const columns = useMemo(
    (): DataColumn<DriftRow>[] => [
      {
        id: 'family',
        header: tWord('family'),
        width: 180,
        pinned: true,
        cell: ({ family }) => (
          <RowName onClick={() => onFamily(family)}>{titles.get(family) ?? family}</RowName>
        ),
      },
      { id: 'what', header: t('column.what'), width: 380, cell: words, value: words },
      countColumn({ id: 'keys', header: tWord('keys'), width: 80 }),
      countColumn({ id: 'of', header: t('column.of'), width: 80 }),
    ],
    [t, titles],
  );
  return (
    <TabTable
      note={t('note')}
      label={tCatalog('tabs.drift')}
      rows={catalog?.drift}
      name="drift"
      columns={columns}
      rowId={({ family, what, documented, found }) => [family, what, documented, found].join(' ')}
      live={[]}
      onOpen={({ family }) => onFamily(family)}
      empty={{ icon: IconCircleCheck, title: t('empty'), text: t('emptyText') }}
    />
  );
};

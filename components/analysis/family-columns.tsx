'use client';

import { Badge, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowName } from '@/components/data-table/row-name';
import type { AnalysisReport, FamilyAnalysis } from '@/lib/analysis/schema';
import { useFigureColumns } from './figure-columns';

/** The types of a family's keys, commonest first. */
export const typesOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([type]) => type)
    .join(', ');

export const useFamilyColumns = (
  report: AnalysisReport | undefined,
  onOpen: (row: FamilyAnalysis) => void,
): DataColumn<FamilyAnalysis>[] => {
  const t = useTranslations('analysis.families.column');
  const tAnalysis = useTranslations('analysis');
  const tWord = useTranslations('words');
  const figures = useFigureColumns(report, true);
  return useMemo(
    (): DataColumn<FamilyAnalysis>[] => [
      {
        id: 'title',
        header: tWord('family'),
        width: 190,
        pinned: true,
        cell: (row) => <TitleCell row={row} onOpen={() => onOpen(row)} />,
      },
      {
        id: 'app',
        header: tWord('application'),
        width: 100,
        card: 'hidden',
        hiddenAtFirst: true,
      },
      ...figures,
      countColumn({
        id: 'withoutTtl',
        header: tWord('withoutTtl'),
        width: 100,
        sortable: true,
      }),
      { id: 'types', header: tAnalysis('tabs.types'), width: 90, value: (row) => typesOf(row.types) },
      bytesColumn({
        id: 'p50',
        header: t('p50'),
        width: 80,
        card: 'hidden',
        of: (row) => row.size?.p50 ?? null,
      }),
      bytesColumn({
        id: 'p99',
        header: t('p99'),
        width: 80,
        card: 'hidden',
        of: (row) => row.size?.p99 ?? null,
      }),
      bytesColumn({ id: 'max', header: t('max'), width: 90, of: (row) => row.size?.max ?? null }),
    ],
    [t, figures, onOpen, tWord, tAnalysis],
  );
};

/** A family that the other report lacks is new; one that only the other report has is gone. */
const TitleCell = ({ row, onOpen }: { row: FamilyAnalysis; onOpen: () => void }) => {
  const t = useTranslations('analysis.families');
  const { keys, change } = row;
  const mark = !change ? null : keys === 0 ? 'gone' : change.keys === keys ? 'new' : null;
  return (
    <Group gap={6} wrap="nowrap">
      <RowName onClick={onOpen}>{row.title}</RowName>
      {mark && (
        <Badge size="xs" color={mark === 'new' ? 'indigo' : 'gray'} style={{ flexShrink: 0 }}>
          {t(mark)}
        </Badge>
      )}
    </Group>
  );
};

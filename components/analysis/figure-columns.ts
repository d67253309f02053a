'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, countColumn, rateColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import type { AnalysisReport } from '@/lib/analysis/schema';
import { growthColumns, type ReportRow } from './growth';
import { shareOf } from './share';

/** The figures that families, types and encodings have: how many, how much of it all, and by how much that grew. */
export const useFigureColumns = (
  report: AnalysisReport | undefined,
  sortable = false,
): DataColumn<ReportRow>[] => {
  const t = useTranslations('analysis.families.column');
  const tWord = useTranslations('words');
  return useMemo(
    (): DataColumn<ReportRow>[] => [
      countColumn({ id: 'keys', header: t('keys'), width: 90, sortable }),
      bytesColumn({ id: 'memory', header: t('memory'), width: 100, sortable, of: (row) => row.memoryBytes }),
      rateColumn({
        id: 'share',
        header: tWord('share'),
        width: 80,
        of: (row) => (report ? shareOf(report, row) : null),
      }),
      ...(report?.change
        ? growthColumns<ReportRow>({ keys: t('keysGrown'), memory: t('memoryGrown'), sortable })
        : []),
    ],
    [t, report, sortable, tWord],
  );
};

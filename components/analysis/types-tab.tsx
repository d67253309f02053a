'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { Columns } from '@/components/patterns/columns';
import { Panel } from '@/components/patterns/panel';
import type { AnalysisReport } from '@/lib/analysis/schema';
import type { ReportTabProps } from './address';
import { useFigureColumns } from './figure-columns';

type TypeRow = AnalysisReport['byType'][number];
type EncodingRow = AnalysisReport['byEncoding'][number];

const NO_TYPES: TypeRow[] = [];
const NO_ENCODINGS: EncodingRow[] = [];

/** All keys by their type, and by how the server encodes them. */
export const TypesTab = ({ report, placeholder }: ReportTabProps) => {
  const t = useTranslations('analysis.types');
  const tWord = useTranslations('words');
  const figures = useFigureColumns(report);
  const typeColumns = useMemo(
    (): DataColumn<TypeRow>[] => [
      { id: 'type', header: tWord('type'), width: 110, pinned: true },
      ...figures,
    ],
    [figures, tWord],
  );
  const encodingColumns = useMemo(
    (): DataColumn<EncodingRow>[] => [
      { id: 'encoding', header: tWord('encoding'), width: 110, pinned: true },
      { id: 'type', header: tWord('type'), width: 80 },
      ...figures,
    ],
    [figures, tWord],
  );
  const loading = report === undefined;
  return (
    <Columns>
      <Panel title={t('byType')} flush>
        <DataTable
          label={t('byType')}
          name="analysis-types"
          columns={typeColumns}
          rows={report?.byType ?? NO_TYPES}
          rowId={({ type }) => type}
          loading={loading}
          placeholder={placeholder}
          empty={t('nothing')}
          toolbar={false}
        />
      </Panel>
      <Panel title={t('byEncoding')} flush>
        <DataTable
          label={t('byEncoding')}
          name="analysis-encodings"
          columns={encodingColumns}
          rows={report?.byEncoding ?? NO_ENCODINGS}
          rowId={({ type, encoding }) => `${type} ${encoding}`}
          loading={loading}
          placeholder={placeholder}
          empty={t('nothing')}
          toolbar={false}
        />
      </Panel>
    </Columns>
  );
};

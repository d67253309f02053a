'use client';

import { IconWeight } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { Duration } from '@/components/patterns/figures';
import { FilterBar } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import type { AnalysisReport, BiggestKey } from '@/lib/analysis/schema';
import type { AnalysisFields, ReportTabProps, SetAnalysisFields } from './address';
import { BiggestKeyName } from './biggest-key';

interface BiggestTabProps extends ReportTabProps {
  url: AnalysisFields;
  setUrl: SetAnalysisFields;
}

const NONE: BiggestKey[] = [];

/** The biggest keys of each type, most memory first. */
export const BiggestTab = ({ report, placeholder, url, setUrl }: BiggestTabProps) => {
  const t = useTranslations('analysis.biggest');
  const tWord = useTranslations('words');
  const columns = useColumns(report);
  const all = report?.biggest ?? NONE;
  const types = useMemo(() => [...new Set(all.map(({ type }) => type))].sort(), [all]);
  const rows = useMemo(
    () =>
      all
        .filter(({ type }) => url.type === '' || type === url.type)
        .toSorted((a, b) => b.memoryBytes - a.memoryBytes),
    [all, url.type],
  );
  return (
    <>
      <FilterBar
        active={url.type ? 1 : 0}
        onClear={url.type ? () => setUrl({ type: '' }) : undefined}
        status={t('note')}
      >
        <FilterSelect
          label={tWord('type')}
          any={t('anyType')}
          data={types.map((value) => ({ value, label: value }))}
          value={url.type}
          onChange={(type) => setUrl({ type })}
        />
      </FilterBar>
      <DataTable
        label={t('label')}
        name="analysis-biggest"
        columns={columns}
        rows={rows}
        rowId={({ keyId }) => keyId}
        loading={report === undefined}
        placeholder={placeholder}
        empty={{
          icon: IconWeight,
          title: t('empty'),
          text: t(report?.memoryBytes === null ? 'noMemory' : 'emptyText'),
        }}
      />
    </>
  );
};

const useColumns = (report: AnalysisReport | undefined): DataColumn<BiggestKey>[] => {
  const t = useTranslations('analysis.biggest.column');
  const tAnalysis = useTranslations('analysis');
  const tWord = useTranslations('words');
  return useMemo((): DataColumn<BiggestKey>[] => {
    const titles = new Map(report?.families.map(({ family, title }) => [family, title]));
    const titleOf = ({ family }: BiggestKey) =>
      family === null ? tAnalysis('tabs.unclassified') : (titles.get(family) ?? family);
    return [
      {
        id: 'key',
        header: tWord('key'),
        width: 280,
        pinned: true,
        cell: (row) => <BiggestKeyName row={row} />,
      },
      { id: 'family', header: tWord('family'), width: 150, value: titleOf },
      { id: 'type', header: tWord('type'), width: 80 },
      bytesColumn({ id: 'memory', header: tWord('memory'), width: 100, of: (row) => row.memoryBytes }),
      countColumn({ id: 'length', header: tWord('length'), width: 100 }),
      {
        id: 'ttl',
        header: tWord('ttl'),
        width: 100,
        align: 'right',
        cell: ({ ttlSeconds }) =>
          ttlSeconds === null ? t('noTtl') : <Duration value={ttlSeconds ?? null} />,
        value: ({ ttlSeconds }) => ttlSeconds ?? null,
      },
    ];
  }, [t, report, tWord, tAnalysis]);
};

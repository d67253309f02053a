'use client';

import { IconTag } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, countColumn, rateColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { KeyText } from '@/components/patterns/hostile-text';
import { TextLink } from '@/components/patterns/text-link';
import { useFormat } from '@/components/patterns/use-format';
import type { AnalysisReport } from '@/lib/analysis/schema';
import type { ReportTabProps } from './address';
import { growthColumns } from './growth';
import { shareOf } from './share';

type PrefixRow = AnalysisReport['unclassified'][number];

const NONE: PrefixRow[] = [];

/** The keys that no family matches, by prefix. */
export const UnclassifiedTab = ({ report, placeholder }: ReportTabProps) => {
  const t = useTranslations('analysis.unclassified');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { id } = useConnection();
  const columns = useColumns(report);
  const rows = report?.unclassified ?? NONE;
  const malformed = report?.malformed.keys ?? 0;
  return (
    <>
      <Dimmed mb="sm">
        {t('note')}{' '}
        <TextLink href={`/${id}/catalog?tab=unclassified`} underline="always">
          {t('propose')}
        </TextLink>
      </Dimmed>
      <DataTable
        label={tWord('unclassifiedKeys')}
        name="analysis-unclassified"
        columns={columns}
        rows={rows}
        rowId={({ prefix }) => prefix}
        loading={report === undefined}
        placeholder={placeholder}
        empty={{ icon: IconTag, title: t('empty'), text: t('emptyText') }}
      />
      {malformed > 0 && (
        <Dimmed mt="xs">{t('malformed', { count: malformed, shown: format.count(malformed) })}</Dimmed>
      )}
    </>
  );
};

const useColumns = (report: AnalysisReport | undefined): DataColumn<PrefixRow>[] => {
  const t = useTranslations('analysis.unclassified');
  const tWord = useTranslations('words');
  const column = useTranslations('analysis.families.column');
  return useMemo(
    (): DataColumn<PrefixRow>[] => [
      {
        id: 'prefix',
        header: tWord('prefix'),
        width: 180,
        pinned: true,
        cell: ({ prefix }) => (prefix === '' ? t('noPrefix') : <KeyText>{prefix}</KeyText>),
      },
      countColumn({ id: 'keys', header: column('keys'), width: 80 }),
      bytesColumn({ id: 'memory', header: column('memory'), width: 100, of: (row) => row.memoryBytes }),
      rateColumn({
        id: 'share',
        header: tWord('share'),
        width: 80,
        of: (row) => (report ? shareOf(report, row) : null),
      }),
      ...(report?.change
        ? growthColumns<PrefixRow>({ keys: column('keysGrown'), memory: column('memoryGrown') })
        : []),
      {
        id: 'sample',
        header: tWord('examples'),
        width: 300,
        // A masked key looks like any other of its prefix.
        cell: ({ sample }) =>
          [...new Set(sample)].map((key) => (
            <div key={key}>
              <KeyText max={80}>{key}</KeyText>
            </div>
          )),
        value: ({ sample }) => sample.join(' '),
      },
    ],
    [t, column, report, tWord],
  );
};

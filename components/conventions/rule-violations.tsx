'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { TablePanel } from '@/components/data-table/table-panel';
import { HostileText } from '@/components/patterns/hostile-text';
import type { RuleReport, Violation } from '@/lib/conventions/schema';
import { SampleKey } from './sample-key';

type FamilyCount = RuleReport['families'][number];
type Sample = Violation & { number: number };

/** What breaks a rule: counts by family, and sample keys. Nothing where nothing breaks it. */
export const RuleViolations = ({ rule }: { rule: RuleReport }) => {
  const t = useTranslations('conventions.violations');
  const tWord = useTranslations('words');
  const families = useFamilyColumns();
  const samples = useSampleColumns();
  const rows = useMemo(
    () => rule.sample.map((violation, place): Sample => ({ ...violation, number: place + 1 })),
    [rule.sample],
  );
  return (
    <>
      {rule.families.length > 0 && (
        <TablePanel
          title={t('families')}
          name={`${rule.id}-families`}
          columns={families}
          rows={rule.families}
          rowId={({ family }) => family ?? ''}
          nothing=""
        />
      )}
      {rows.length > 0 && (
        <TablePanel
          title={tWord('samples')}
          note={t('samplesNote', { count: rows.length })}
          name={`${rule.id}-samples`}
          columns={samples}
          rows={rows}
          rowId={({ number }) => String(number)}
          nothing=""
        />
      )}
    </>
  );
};

const useFamilyColumns = (): DataColumn<FamilyCount>[] => {
  const t = useTranslations('conventions.violations');
  const tConventions = useTranslations('conventions');
  const tWord = useTranslations('words');
  return useMemo(
    (): DataColumn<FamilyCount>[] => [
      {
        id: 'family',
        header: tWord('family'),
        width: 260,
        pinned: true,
        cell: ({ family, waived }) => (
          <>
            {family === null ? t('noFamily') : <HostileText max={80}>{family}</HostileText>}{' '}
            {waived && <Badge color="gray">{t('waived')}</Badge>}
          </>
        ),
      },
      countColumn({
        id: 'count',
        header: tConventions('column.count'),
        width: 100,
      }),
    ],
    [t, tWord, tConventions],
  );
};

const useSampleColumns = (): DataColumn<Sample>[] => {
  const t = useTranslations('conventions.violations');
  return useMemo(
    (): DataColumn<Sample>[] => [
      {
        id: 'key',
        header: t('column.key'),
        width: 240,
        pinned: true,
        cell: (violation) => <SampleKey of={violation} />,
      },
      {
        id: 'detail',
        header: t('column.detail'),
        width: 260,
        cell: ({ detail }) => <HostileText max={300}>{detail}</HostileText>,
      },
    ],
    [t],
  );
};

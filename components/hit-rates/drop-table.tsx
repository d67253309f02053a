'use client';

import { Badge, Group, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { StyleOf } from '@/components/charts/family-styles';
import { SeriesMark } from '@/components/charts/series-mark';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { RowName } from '@/components/data-table/row-name';
import { EmptyState } from '@/components/patterns/empty-state';
import { RateBar } from '@/components/patterns/rate-bar';
import { useFormat } from '@/components/patterns/use-format';
import type { FamilyChange, HitRateChange, LookupCounts } from '@/lib/hit-rates/schema';
import { useRangeTime } from './drop-answer-text';

interface DropTableProps {
  change: HitRateChange;
  styleOf: StyleOf;
  onOpen: (family: string) => void;
}

/** "90.0% ± 1.9 → 20.0% ± 2.5": both rates with their errors. */
const useRateChange = () => {
  const t = useTranslations('hitRates.families');
  const format = useFormat();
  const rate = ({ hitRate, error }: LookupCounts): string =>
    hitRate !== null && error !== null && error > 0
      ? `${format.ratio(hitRate)} ${t('error', { error: format.number(error * 100) })}`
      : format.ratio(hitRate);
  return ({ before, now }: FamilyChange): string => `${rate(before)} → ${rate(now)}`;
};

const useColumns = ({ change, styleOf, onOpen }: DropTableProps): DataColumn<FamilyChange>[] => {
  const t = useTranslations('hitRates.drop');
  const tHitRates = useTranslations('hitRates');
  const tWord = useTranslations('words');
  const format = useFormat();
  const timeOf = useRangeTime(change);
  const rateChange = useRateChange();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words and times depend on `change` and the texts
  return useMemo(
    (): DataColumn<FamilyChange>[] => [
      {
        id: 'family',
        header: tWord('family'),
        width: 170,
        pinned: true,
        cell: ({ family, title }) => (
          <Group gap={8} wrap="nowrap">
            <SeriesMark style={styleOf(family)} />
            <RowName onClick={() => onOpen(family)}>{title}</RowName>
          </Group>
        ),
      },
      {
        id: 'share',
        header: t('column.share'),
        width: 165,
        cell: ({ share }) => <RateBar value={share} level="plain" short />,
      },
      {
        id: 'certain',
        header: t('column.certain'),
        width: 108,
        cell: ({ certain }) => (
          <Badge color={certain ? 'orange' : 'gray'}>{t(certain ? 'certain' : 'withinNoise')}</Badge>
        ),
      },
      {
        id: 'since',
        header: tWord('since'),
        width: 78,
        cell: ({ since, certain }) => (since && certain ? timeOf(since) : '—'),
      },
      {
        id: 'misses',
        header: tWord('misses'),
        width: 135,
        align: 'right',
        cell: ({ before, now }) =>
          `${format.perSecond(before.missesPerSecond)} → ${format.perSecond(now.missesPerSecond)}`,
        value: ({ additionalMissesPerSecond }) => additionalMissesPerSecond,
      },
      {
        id: 'hitRate',
        header: tWord('hitRate'),
        width: 196,
        align: 'right',
        cell: (row) => (
          <Text component="span" size="xs">
            {rateChange(row)}
          </Text>
        ),
        value: ({ now }) => now.hitRate,
      },
      {
        id: 'lookups',
        header: tHitRates('column.n'),
        width: 120,
        align: 'right',
        hiddenAtFirst: true,
        cell: ({ before, now }) => `${format.count(before.n)} → ${format.count(now.n)}`,
        value: ({ now }) => now.n,
      },
    ],
    [t, change, styleOf, onOpen],
  );
};

/** The families, ranked by their share of the additional misses. */
export const DropTable = (props: DropTableProps) => {
  const t = useTranslations('hitRates.drop');
  const columns = useColumns(props);
  return (
    <DataTable
      label={t('table')}
      name="hit-rate-change"
      columns={columns}
      rows={props.change.families}
      rowId={({ family }) => family}
      onOpen={({ family }) => props.onOpen(family)}
      empty={<EmptyState title={t('empty')}>{t('emptyNote')}</EmptyState>}
    />
  );
};

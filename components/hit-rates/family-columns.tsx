'use client';

import { Anchor } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Sparkline } from '@/components/charts/sparkline';
import { countColumn, perSecondColumn, rateColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { HitRateSource } from '@/components/patterns/hit-rate-source';
import classes from './hit-rates.module.css';
import { RateCell, useWindowWords } from './rate-cell';
import type { RateRow } from './rows';

const RATE_DOMAIN: [number, number] = [0, 1];

interface ColumnsOf {
  instance: number | null;
  stepSeconds: number | null;
  onOpen: (family: string) => void;
}

/** Columns of the table of families: each rate with its source, and what it costs the origin. */
export const useRateColumns = ({ instance, stepSeconds, onOpen }: ColumnsOf): DataColumn<RateRow>[] => {
  const t = useTranslations('hitRates.column');
  const windowOf = useWindowWords();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words of windows follow from the texts
  return useMemo(
    (): DataColumn<RateRow>[] => [
      {
        id: 'family',
        header: t('family'),
        width: 180,
        pinned: true,
        cell: ({ family, title }) => (
          <Anchor component="button" size="sm" fw={600} ta="start" onClick={() => onOpen(family)}>
            {title}
          </Anchor>
        ),
        value: ({ family }) => family,
      },
      {
        id: 'hitRate',
        header: t('hitRate'),
        width: 185,
        sortable: true,
        cell: (row) => <RateCell row={row} instance={instance} />,
        value: ({ hitRate }) => hitRate,
      },
      {
        id: 'source',
        header: t('source'),
        width: 310,
        cell: (row) => (
          <HitRateSource
            source={row.source}
            coverage={row.coverage}
            error={null}
            window={windowOf(row, stepSeconds)}
          />
        ),
        value: ({ source }) => source,
      },
      countColumn({
        id: 'n',
        header: t('n'),
        width: 90,
        sortable: true,
        of: ({ source, n }) => (source === 'none' ? null : n),
      }),
      perSecondColumn({
        id: 'missesPerSecond',
        header: t('misses'),
        width: 100,
        sortable: true,
        of: (row) => row.missesPerSecond,
      }),
      perSecondColumn({
        id: 'originLoad',
        header: t('originLoad'),
        width: 110,
        sortable: true,
        of: (row) => row.originLoadPerSecond,
      }),
      {
        id: 'run',
        header: t('run'),
        width: 130,
        cell: ({ points }) =>
          points.length > 1 && (
            <div className={classes.spark}>
              <Sparkline values={points.map(({ hitRate }) => hitRate)} domain={RATE_DOMAIN} />
            </div>
          ),
      },
      rateColumn({
        id: 'coverage',
        header: t('coverage'),
        hiddenAtFirst: true,
        width: 100,
        of: ({ coverage }) => coverage,
      }),
    ],
    [t, instance, stepSeconds, onOpen],
  );
};

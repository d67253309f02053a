'use client';

import { Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { StyleOf } from '@/components/charts/family-styles';
import { RateSparkline } from '@/components/charts/rate-sparkline';
import { SeriesMark } from '@/components/charts/series-mark';
import { countColumn, perSecondColumn, rateColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { RowName } from '@/components/data-table/row-name';
import { HitRateSource } from '@/components/patterns/hit-rate-source';
import classes from './hit-rates.module.css';
import { RateCell, useWindowWords } from './rate-cell';
import type { RateRow } from './rows';

interface ColumnsOf {
  instance: number | null;
  stepSeconds: number | null;
  /** The range of the points, in epoch ms. */
  span: { from: number; to: number };
  onOpen: (family: string) => void;
  /** The lines on the chart: a row's mark shows and hides its own. */
  lines: LineControl;
}

export interface LineControl {
  styleOf: StyleOf;
  drawn: readonly string[];
  /** Families without enough look-ups have no line. */
  drawable: ReadonlySet<string>;
  onToggle: (family: string) => void;
  onHighlight: (family: string | null) => void;
}

/** Columns of the families table: each rate with its source, and the load its misses put on the origin. */
export const useRateColumns = ({
  instance,
  stepSeconds,
  span,
  onOpen,
  lines,
}: ColumnsOf): DataColumn<RateRow>[] => {
  const t = useTranslations('hitRates.column');
  const tWord = useTranslations('words');
  const windowOf = useWindowWords();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `windowOf` depends on the texts only
  return useMemo(
    (): DataColumn<RateRow>[] => [
      {
        id: 'family',
        header: tWord('family'),
        width: 210,
        pinned: true,
        cell: ({ family, title }) => (
          <Group gap={6} wrap="nowrap">
            <LineToggle family={family} title={title} lines={lines} />
            <RowName onClick={() => onOpen(family)}>{title}</RowName>
          </Group>
        ),
      },
      {
        id: 'hitRate',
        header: tWord('hitRate'),
        width: 225,
        sortable: true,
        cell: (row) => <RateCell row={row} instance={instance} />,
      },
      {
        id: 'source',
        header: tWord('source'),
        width: 300,
        card: 'hidden',
        cell: (row) => (
          <HitRateSource
            source={row.source}
            coverage={row.coverage}
            error={null}
            window={windowOf(row, stepSeconds)}
          />
        ),
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
        header: tWord('misses'),
        width: 100,
        sortable: true,
      }),
      perSecondColumn({
        id: 'originLoad',
        header: t('originLoad'),
        width: 110,
        hiddenAtFirst: true,
        card: 'hidden',
        sortable: true,
        of: (row) => row.originLoadPerSecond,
      }),
      {
        id: 'run',
        header: tWord('overTime'),
        width: 130,
        card: 'hidden',
        value: null,
        cell: ({ family, points }) =>
          points.length > 0 && (
            <div className={classes.spark}>
              <RateSparkline
                points={points}
                span={span}
                stepSeconds={stepSeconds ?? 60}
                style={lines.styleOf(family)}
              />
            </div>
          ),
      },
      rateColumn({
        id: 'coverage',
        header: tWord('coverage'),
        hiddenAtFirst: true,
        width: 100,
      }),
    ],
    [t, instance, stepSeconds, span.from, span.to, onOpen, lines],
  );
};

/** Shows or hides the line of a family, in the line's own style. */
const LineToggle = ({ family, title, lines }: { family: string; title: string; lines: LineControl }) => {
  const t = useTranslations('hitRates.families');
  const { styleOf, drawn, drawable, onToggle, onHighlight } = lines;
  if (!drawable.has(family)) return <span className={classes.mark} />;
  return (
    <button
      type="button"
      className={classes.mark}
      aria-label={t('line', { family: title })}
      aria-pressed={drawn.includes(family)}
      onClick={() => onToggle(family)}
      onPointerEnter={() => onHighlight(family)}
      onPointerLeave={() => onHighlight(null)}
      onFocus={() => onHighlight(family)}
      onBlur={() => onHighlight(null)}
    >
      <SeriesMark style={styleOf(family)} />
    </button>
  );
};

'use client';

import { Alert, MultiSelect, Skeleton, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { useMarks } from '@/components/charts/history-panel';
import { shownFrom } from '@/components/charts/span';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { EmptyState } from '@/components/patterns/empty-state';
import { Panel } from '@/components/patterns/panel';
import { useFormat } from '@/components/patterns/use-format';
import type { hitRateContracts } from '@/lib/caches/hit-rates/schema';
import type { Result } from '@/lib/contract';
import { chosenOf, isLine, linesOf, MAX_LINES, samplesOf } from './family-lines';
import classes from './hit-rates.module.css';
import { type RateRow, spacingOf } from './rows';

export type Rates = Result<typeof hitRateContracts.hitRates> & { from: number; to: number };

interface FamilyPanelProps {
  connection: string;
  /** undefined while loading. */
  rates: Rates | undefined;
  rows: readonly RateRow[];
  /** Families drawn, by commas; empty: the worst. */
  lines: string;
  onLines: (lines: string) => void;
}

/** Hit rates of a few families over time, on one axis of 0–100 %. */
export const FamilyPanel = ({ connection, rates, rows, lines, onLines }: FamilyPanelProps) => {
  const t = useTranslations('hitRates.families');
  const format = useFormat();
  const drawn = rows.filter(({ points }) => points.length > 0);
  const note =
    rates && rates.windows.taken > 0
      ? t('windows', {
          count: rates.windows.taken,
          seconds: format.number(rates.windows.seconds, 2),
          asked: format.number(rates.windows.askedSeconds, 2),
          share: format.ratio(rates.windows.seconds / rates.windows.askedSeconds),
        })
      : t('noWindows');
  return (
    <Panel title={t('chart')} note={rates && note} className={classes.panel}>
      {!rates && <Skeleton height={280} radius="md" />}
      {rates && <CutShort cuts={rates.windows.cuts} />}
      {rates && drawn.length === 0 && <Nothing instance={rates.instance.hitRate} />}
      {rates && drawn.length > 0 && !isLine(drawn) && (
        <EmptyState title={t('tooFew')}>{t('tooFewNote')}</EmptyState>
      )}
      {rates && isLine(drawn) && (
        <Lines connection={connection} rates={rates} rows={drawn} lines={lines} onLines={onLines} />
      )}
    </Panel>
  );
};

/** Why windows were shorter than asked for, and what that means. */
const CutShort = ({ cuts }: Pick<Rates['windows'], 'cuts'>) => {
  const t = useTranslations('hitRates.families');
  if (cuts.length === 0) return null;
  return (
    <Alert color="gray" mb="sm">
      {cuts.map(({ why, count }) => (
        <Text key={why} size="sm">
          {t('cutShort', { why, count })}.
        </Text>
      ))}
      <Text size="sm">{t('cutMeaning')}</Text>
    </Alert>
  );
};

const Lines = ({ connection, rates, rows, lines, onLines }: FamilyPanelProps & { rates: Rates }) => {
  const t = useTranslations('hitRates.families');
  const format = useFormat();
  const marks = useMarks(rates.events);
  const stepMs = rates.stepSeconds * 1000;
  const chosen = useMemo(() => chosenOf(lines, rows), [lines, rows]);
  const series = useMemo(() => linesOf(chosen, rows), [chosen, rows]);
  const samples = useMemo(() => samplesOf(chosen, rows), [chosen, rows]);
  const spacing = useMemo(
    () => Math.max(...chosen.map((id) => spacingOf(rows.find((row) => row.family === id)!.points, stepMs))),
    [chosen, rows, stepMs],
  );
  return (
    <TimeSeriesChart
      label={t('chartLabel', { connection })}
      name={`${connection}-hit-rates`}
      series={series}
      points={samples}
      stepMs={spacing}
      from={shownFrom(samples, rates.from, rates.to)}
      to={rates.to}
      events={marks}
      domain="rate"
      format={format.ratio}
      controls={
        <MultiSelect
          size="xs"
          aria-label={t('choose')}
          data={rows.map(({ family, title }) => ({ value: family, label: title }))}
          value={chosen}
          onChange={(families) => onLines(families.join(','))}
          maxValues={MAX_LINES}
          searchable
          className={classes.choose}
        />
      }
    />
  );
};

const Nothing = ({ instance }: { instance: number | null }) => {
  const t = useTranslations('hitRates.families');
  const format = useFormat();
  return (
    <>
      <EmptyState title={t('empty')}>{t('emptyNote')}</EmptyState>
      {instance !== null && <Alert color="gray">{t('instanceOnly', { rate: format.ratio(instance) })}</Alert>}
    </>
  );
};

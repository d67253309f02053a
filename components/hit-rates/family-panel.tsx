'use client';

import { Alert, Skeleton, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { StyleOf } from '@/components/charts/family-styles';
import { useMarks } from '@/components/charts/history-panel';
import { shownFrom } from '@/components/charts/span';
import type { TimeRange } from '@/components/charts/time-drag';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { RATIO } from '@/components/charts/value-axis';
import { EmptyState } from '@/components/patterns/empty-state';
import { Panel } from '@/components/patterns/panel';
import { useFormat } from '@/components/patterns/use-format';
import type { Result } from '@/lib/contract';
import type { hitRateContracts } from '@/lib/hit-rates/schema';
import { drawable, linesOf, samplesOf } from './family-lines';
import classes from './hit-rates.module.css';
import { PointTable } from './point-table';
import type { RateRow } from './rows';

export type Rates = Result<typeof hitRateContracts.get> & { from: number; to: number };

export interface FamilyPanelProps {
  connection: string;
  /** undefined while loading. */
  rates: Rates | undefined;
  /** Most misses first. */
  rows: readonly RateRow[];
  styleOf: StyleOf;
  /** The ids of the families that are drawn. */
  drawn: readonly string[];
  onToggle: (family: string) => void;
  highlighted: string | null;
  onHighlight: (family: string | null) => void;
  selected: TimeRange | null;
  onSelect: (range: TimeRange) => void;
}

/** Hit rates of a few families over time, on one axis of 0–100 %. */
export const FamilyPanel = (props: FamilyPanelProps) => {
  const { rates, rows } = props;
  const t = useTranslations('hitRates.families');
  const format = useFormat();
  const hasLines = drawable(rows).length > 0;
  const counted = rows.some(({ n }) => n > 0);
  const note =
    rates && rates.windows.taken > 0
      ? t('windows', {
          count: rates.windows.taken,
          seconds: format.number(rates.windows.seconds, 1),
          asked: format.number(rates.windows.askedSeconds, 1),
          share: format.ratio(Math.min(1, rates.windows.seconds / rates.windows.askedSeconds)),
        })
      : t('noWindows');
  return (
    <Panel title={t('chart')} note={rates && note} className={classes.panel}>
      {!rates && <Skeleton height={280} radius="md" />}
      {rates && <CutShort cuts={rates.windows.cuts} />}
      {rates && !counted && <Nothing instance={rates.instance.hitRate} />}
      {rates && counted && !hasLines && <EmptyState title={t('tooFew')}>{t('tooFewNote')}</EmptyState>}
      {rates && hasLines && <Lines {...props} rates={rates} />}
    </Panel>
  );
};

/** Why windows observed less than planned, and what that means. */
const CutShort = ({ cuts }: Pick<Rates['windows'], 'cuts'>) => {
  const t = useTranslations('hitRates');
  if (cuts.length === 0) return null;
  return (
    <Alert color="gray" mb="sm">
      {cuts.map(({ why, count }) => (
        <Text key={why} size="sm">
          {t('families.cutShort', { count, why: t(`cut.${why}`) })}
        </Text>
      ))}
      <Text size="sm">{t('families.cutMeaning')}</Text>
    </Alert>
  );
};

/** A family has more lines than fit on a phone: the legend offers those with most misses, the table all. */
const MAX_OFFERED = 8;

/** Lines of the drawn families, and a legend that also offers others. */
const Lines = ({
  connection,
  rates,
  rows,
  styleOf,
  drawn,
  ...props
}: FamilyPanelProps & { rates: Rates }) => {
  const t = useTranslations('hitRates.families');
  const format = useFormat();
  const marks = useMarks(rates.events);
  const stepMs = rates.stepSeconds * 1000;
  const offered = useMemo(() => {
    const ids = drawable(rows).map(({ family }) => family);
    return ids.filter((family, i) => i < MAX_OFFERED || drawn.includes(family));
  }, [rows, drawn]);
  const all = useMemo(() => {
    const detail = (n: number, error: number | null) =>
      error === null
        ? t('lookupsOnly', { count: n })
        : t('lineDetail', { count: n, error: format.number(error * 100) });
    return linesOf(offered, rows, styleOf, detail);
  }, [offered, rows, styleOf, t, format]);
  const series = useMemo(() => all.filter(({ id }) => drawn.includes(id)), [all, drawn]);
  const samples = useMemo(() => samplesOf(drawn, rows, stepMs), [drawn, rows, stepMs]);
  return (
    <TimeSeriesChart
      label={t('chartLabel', { connection })}
      name={`${connection}-hit-rates`}
      series={series}
      points={samples}
      stepped
      stepMs={stepMs}
      from={shownFrom(samples, rates.from, rates.to)}
      to={rates.to}
      events={marks}
      axis={RATIO}
      format={format.ratio}
      table={<PointTable connection={connection} rows={rows} drawn={drawn} />}
      choice={{
        all,
        onToggle: props.onToggle,
        highlighted: props.highlighted,
        onHighlight: props.onHighlight,
      }}
      selected={props.selected}
      onSelect={props.onSelect}
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

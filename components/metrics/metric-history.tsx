'use client';

import { Skeleton } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { LegendChoice } from '@/components/charts/legend';
import { type Series, styleOf } from '@/components/charts/series';
import { shownFrom } from '@/components/charts/span';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { useMetricNumber } from '@/components/patterns/metric-value';
import { QueryProblem } from '@/components/patterns/query-problem';
import { RANGES, type RangeId } from '@/components/patterns/ranges';
import { useFormat } from '@/components/patterns/use-format';
import type { MetricItem } from '@/lib/metrics/schema';
import { visibleText } from '@/lib/visible-text';
import { type Line, samplesOf } from './history-samples';
import { metricQueries } from './queries';

/** Pixels of the chart with its head. */
const CHART_HEIGHT = 262;
/** Fields that can be drawn, and that are drawn at first. */
const MAX_LINES = 12;
const FIRST_LINES = 3;
const MAX_NAME = 40;

/** What can be drawn of an item: its value, or its fields that are numbers. */
const linesOf = (item: MetricItem): Line[] => {
  if (item.kind === 'metric') return [{ id: 'value', name: item.name, figure: { keyId: item.keyId } }];
  return (item.fields ?? [])
    .filter(({ value }) => value !== null)
    .slice(0, MAX_LINES)
    .map(({ fieldId, field }) => ({ id: fieldId, name: field, figure: { keyId: item.keyId, fieldId } }));
};

/** A metric, or fields of statistics, over time, from the console's own samples. */
export const MetricHistory = ({ item, range }: { item: MetricItem; range: RangeId }) => {
  const t = useTranslations('metrics.history');
  const { id } = useConnection();
  const lines = linesOf(item);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(
    () => new Set(lines.slice(FIRST_LINES).map((line) => line.id)),
  );
  const [highlighted, setHighlighted] = useState<string | null>(null);
  const drawn = lines.filter((line) => !hidden.has(line.id));
  const queries = useQueries({
    queries: drawn.map(({ figure }) => metricQueries.series(id, figure, range)),
  });
  const styled: Series[] = lines.map((line, n) => ({
    id: line.id,
    name: visibleText(line.name, MAX_NAME),
    ...styleOf(n),
  }));
  const choice: LegendChoice = {
    all: styled,
    highlighted,
    onHighlight: setHighlighted,
    onToggle: (line) =>
      setHidden((before) => {
        const after = new Set(before);
        if (!after.delete(line)) after.add(line);
        return after;
      }),
  };
  const failed = queries.find(({ isError, data }) => isError && !data);
  if (lines.length === 0) return <EmptyState title={t('noNumbers')}>{t('noNumbersNote')}</EmptyState>;
  if (failed) return <QueryProblem of={failed} />;
  if (queries.some(({ isPending }) => isPending)) return <Skeleton height={CHART_HEIGHT} radius="md" />;
  const results = queries.map(({ data }) => data!);
  return (
    <Chart
      item={item}
      range={range}
      series={styled.filter((line) => !hidden.has(line.id))}
      {...samplesOf(drawn, results)}
      {...(lines.length > 1 && { choice })}
    />
  );
};

interface ChartProps {
  item: MetricItem;
  range: RangeId;
  series: Series[];
  samples: ReturnType<typeof samplesOf>['samples'];
  stepMs: number;
  from: number;
  to: number;
  choice?: LegendChoice;
}

const Chart = ({ item, range, series, samples, stepMs, choice, ...span }: ChartProps) => {
  const t = useTranslations('metrics.history');
  const tWord = useTranslations('words');
  const write = useMetricNumber();
  const format = useFormat();
  if (samples.length === 0 && !choice)
    return <EmptyState title={tWord('noSamples')}>{t('emptyNote')}</EmptyState>;
  const to = span.to || Date.now();
  const from = shownFrom(samples, span.from || to - RANGES[range].spanMs, to);
  const name = visibleText(item.name, MAX_NAME);
  return (
    <>
      <TimeSeriesChart
        label={t('label', { name, period: visibleText(item.period, MAX_NAME) })}
        name="metric"
        series={series}
        points={samples}
        stepMs={stepMs}
        from={from}
        to={to}
        format={write}
        height={220}
        {...(choice && { choice })}
      />
      <Dimmed size="xs">{t('note', { step: format.duration(stepMs / 1000) })}</Dimmed>
    </>
  );
};

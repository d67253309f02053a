'use client';

import { SegmentedControl, Skeleton } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Sample } from '@/components/charts/gaps';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { EmptyState } from '@/components/patterns/empty-state';
import { Panel } from '@/components/patterns/panel';
import { useFormat } from '@/components/patterns/use-format';
import type { HistoryEvent } from '@/lib/history/schema';
import { coverageOf, shownFrom } from './joined';
import { MEASURE_IDS, MEASURES, type MeasureId } from './measures';
import classes from './overview.module.css';

interface HistoryPanelProps {
  connection: string;
  measure: MeasureId;
  onMeasure: (measure: MeasureId) => void;
  samples: Sample[];
  events: HistoryEvent[];
  from: number;
  to: number;
  stepMs: number;
  loading: boolean;
}

/** One figure over the chosen range, joined by what comes live. */
export const HistoryPanel = (props: HistoryPanelProps) => {
  const { connection, measure, samples, events, to, stepMs } = props;
  const from = shownFrom(samples, props.from, to);
  const t = useTranslations('overview.history');
  const format = useFormat();
  const { domain, unit, fields } = MEASURES[measure];
  const series = useMemo(
    () => fields.map(({ id, color }) => ({ id, color, name: t(`field.${id}`) })),
    [fields, t],
  );
  const marks = useMemo(
    () => events.map((event) => ({ at: Date.parse(event.at), label: t(`event.${event.kind}`) })),
    [events, t],
  );
  const note = t('note', {
    step: format.duration(stepMs / 1000),
    coverage: format.ratio(coverageOf(samples, from, to, stepMs)),
  });
  const own = measure === 'hitRate' ? ` · ${t('ownExcluded')}` : '';
  const choice = (
    <SegmentedControl
      size="xs"
      className={classes.measures}
      aria-label={t('choose')}
      value={measure}
      onChange={(value) => props.onMeasure(value as MeasureId)}
      data={MEASURE_IDS.map((value) => ({ value, label: t(`short.${value}`) }))}
    />
  );
  return (
    <Panel title={t(`title.${measure}`)} note={note + own} className={classes.history}>
      {props.loading && <Skeleton height={280} radius="md" />}
      {!props.loading && samples.length === 0 && <EmptyState title={t('empty')}>{t('emptyNote')}</EmptyState>}
      {!props.loading && samples.length > 0 && (
        <TimeSeriesChart
          label={t('label', { what: t(`title.${measure}`), connection })}
          name={`${connection}-${measure}`}
          series={series}
          points={samples}
          stepMs={stepMs}
          from={from}
          to={to}
          events={marks}
          domain={domain}
          format={format[unit]}
          controls={choice}
        />
      )}
    </Panel>
  );
};

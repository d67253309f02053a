'use client';

import { SegmentedControl, Skeleton } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import { EmptyState } from '@/components/patterns/empty-state';
import { Panel } from '@/components/patterns/panel';
import { useFormat } from '@/components/patterns/use-format';
import type { HistoryEvent } from '@/lib/history/schema';
import classes from './chart-figure.module.css';
import type { Sample } from './gaps';
import { type Before, previousId, withMissRates, withPrevious } from './history-samples';
import { MEASURES, type MeasureId } from './measures';
import type { Series } from './series';
import { coverageOf, shownFrom } from './span';
import type { TimeRange } from './time-drag';
import { TimeSeriesChart } from './time-series-chart';
import { type AxisRules, BYTES, RATIO } from './value-axis';

interface HistoryPanelProps {
  connection: string;
  measure: MeasureId;
  /** The available measures, in this order. */
  measures: readonly MeasureId[];
  onMeasure: (measure: MeasureId) => void;
  samples: Sample[];
  /** The previous period, drawn as a dashed line. */
  before?: Before | null;
  events: HistoryEvent[];
  from: number;
  to: number;
  stepMs: number;
  loading: boolean;
  /** The selected range of time, and the effect of dragging over the chart. */
  selected?: TimeRange | null;
  onSelect?: ((range: TimeRange) => void) | undefined;
  className?: string | undefined;
  /** Below the chart. */
  children?: ReactNode;
}

/** The lines of a measure; compared, each has a dashed one for the previous period. */
const useSeries = (measure: MeasureId, compared: boolean): Series[] => {
  const t = useTranslations('charts.history');
  return useMemo(
    () =>
      MEASURES[measure].fields.flatMap(({ id, color }): Series[] => {
        const name = t(`field.${id}`);
        const then = { id: previousId(id), color, name: t('before', { name }), dash: '5 4', muted: true };
        return [{ id, color, name }, ...(compared ? [then] : [])];
      }),
    [measure, compared, t],
  );
};

const AXES: Partial<Record<(typeof MEASURES)[MeasureId]['unit'], AxisRules>> = {
  ratio: RATIO,
  bytes: BYTES,
  bytesPerSecond: BYTES,
};

/** Misses that double are seldom seen in a rate of hits, so they are drawn below it. */
const useMisses = (measure: MeasureId, connection: string) => {
  const t = useTranslations('charts.history');
  const tWord = useTranslations('words');
  const { perSecond } = useFormat();
  return useMemo(() => {
    if (measure !== 'hitRate') return null;
    const name = t('field.missesPerSecond');
    return {
      label: tWord('ofConnection', { what: name, connection }),
      series: [{ id: 'missesPerSecond', color: 3, name } satisfies Series],
      format: perSecond,
    };
  }, [measure, connection, t, tWord, perSecond]);
};

/** Names of the marks on a history chart. */
export const useMarks = (events: readonly HistoryEvent[]) => {
  const t = useTranslations('charts.history');
  return useMemo(
    () => events.map((event) => ({ at: Date.parse(event.at), label: t(`event.${event.kind}`) })),
    [events, t],
  );
};

/** One measure of the whole server over the chosen range. */
export const HistoryPanel = (props: HistoryPanelProps) => {
  const { connection, measure, samples, before = null, events, to, stepMs } = props;
  const t = useTranslations('charts.history');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { unit } = MEASURES[measure];
  const misses = useMisses(measure, connection);
  const series = useSeries(measure, before !== null);
  const marks = useMarks(events);
  const points = useMemo(
    () => withMissRates(before ? withPrevious(samples, before, stepMs) : samples, stepMs),
    [samples, before, stepMs],
  );
  const from = shownFrom(points, props.from, to);
  const note = t('note', {
    step: format.duration(stepMs / 1000),
    coverage: format.ratio(coverageOf(samples, from, to, stepMs)),
  });
  const own = measure === 'hitRate' || measure === 'lookups' ? ` · ${t('ownExcluded')}` : '';
  const choice = (
    <SegmentedControl
      size="xs"
      className={classes.choice}
      aria-label={t('choose')}
      value={measure}
      onChange={(value) => props.onMeasure(value as MeasureId)}
      data={props.measures.map((value) => ({ value, label: t(`short.${value}`) }))}
    />
  );
  return (
    <Panel
      title={t(`title.${measure}`)}
      note={props.loading ? undefined : note + own}
      className={props.className}
    >
      {props.loading && (
        <Skeleton className={classes.instead} data-two={misses !== null || undefined} radius="md" />
      )}
      {!props.loading && points.length === 0 && (
        <div className={classes.instead} data-two={misses !== null || undefined}>
          <EmptyState title={t('empty')}>{t('emptyNote')}</EmptyState>
        </div>
      )}
      {!props.loading && points.length > 0 && (
        <TimeSeriesChart
          label={tWord('ofConnection', { what: t(`title.${measure}`), connection })}
          name={`${connection}-${measure}`}
          series={series}
          points={points}
          stepMs={stepMs}
          from={from}
          to={to}
          events={marks}
          {...(AXES[unit] && { axis: AXES[unit] })}
          {...(misses && { below: misses })}
          format={format[unit]}
          controls={choice}
          selected={props.selected ?? null}
          onSelect={props.onSelect}
        />
      )}
      {props.children}
    </Panel>
  );
};

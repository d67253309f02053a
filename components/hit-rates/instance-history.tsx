'use client';

import { Group, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { HistoryPanel } from '@/components/charts/history-panel';
import { figureOf, toSample } from '@/components/charts/history-samples';
import { MEASURE_IDS, MEASURES, type MeasureId, measureOf } from '@/components/charts/measures';
import type { TimeRange } from '@/components/charts/time-drag';
import { historyQueries } from '@/components/patterns/history-queries';
import type { Period } from '@/components/patterns/ranges';
import { useFormat } from '@/components/patterns/use-format';
import { useLive } from '@/components/patterns/use-live';
import type { Point } from '@/lib/history/schema';
import classes from './hit-rates.module.css';

interface InstanceHistoryProps {
  connection: string;
  period: Period;
  url: { show: string; compare: string };
  setUrl: (change: { show?: string; compare?: string }) => void;
  selected: TimeRange | null;
  onSelect: (range: TimeRange) => void;
}

const NO_POINTS: Point[] = [];

/** The whole server over time, on request with the previous period. */
export const InstanceHistory = (props: InstanceHistoryProps) => {
  const { connection, period, url, setUrl } = props;
  const t = useTranslations('hitRates.instance');
  const compared = url.compare !== '';
  const { data, isPending } = useQuery(historyQueries.series(connection, period, compared));
  const points = data?.points ?? NO_POINTS;
  const samples = useMemo(() => points.map(toSample), [points]);
  const measure = measureOf(url.show);
  const before = useMemo(
    () => (data?.before ? { ...data.before, shiftMs: data.to - data.from } : null),
    [data],
  );
  return (
    <HistoryPanel
      connection={connection}
      measure={measure}
      measures={MEASURE_IDS}
      onMeasure={(show) => setUrl({ show })}
      samples={samples}
      before={before}
      events={data?.events ?? []}
      from={data?.from ?? 0}
      to={data?.to ?? 0}
      stepMs={(data?.stepSeconds ?? 1) * 1000}
      loading={isPending}
      selected={props.selected}
      onSelect={props.onSelect}
      className={classes.panel}
    >
      <Group gap="6px 24px" mt={8}>
        <Switch
          size="xs"
          label={t('compare')}
          checked={compared}
          onChange={(event) => setUrl({ compare: event.currentTarget.checked ? '1' : '' })}
        />
        {before && <Compared measure={measure} now={points} before={before.points} />}
      </Group>
    </HistoryPanel>
  );
};

interface ComparedProps {
  measure: MeasureId;
  now: readonly Point[];
  before: readonly Point[];
}

/** One figure per line for the period and the previous one. */
const Compared = ({ measure, now, before }: ComparedProps) => {
  const t = useTranslations('charts.history');
  const format = useFormat();
  const live = useLive();
  const { unit, fields } = MEASURES[measure];
  return fields.map(({ id }) => {
    const [is, was] = [figureOf(now, id), figureOf(before, id)];
    const values = {
      name: t(`field.${id}`),
      now: format[unit](is),
      strong: (text: React.ReactNode) => <strong>{text}</strong>,
    };
    return (
      <Text key={id} size="sm" aria-live={live}>
        {was === null || is === null
          ? t.rich('noPrevious', values)
          : t.rich('compared', {
              ...values,
              before: format[unit](was),
              change:
                unit === 'ratio' ? format.points(is - was) : format.change(was === 0 ? null : is / was - 1),
            })}
      </Text>
    );
  });
};

'use client';

import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Sample } from '@/components/charts/gaps';
import type { Series } from '@/components/charts/series';
import { coverageOf, shownFrom } from '@/components/charts/span';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { WHOLE } from '@/components/charts/value-axis';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { Panel } from '@/components/patterns/panel';
import { RangeControl } from '@/components/patterns/range-control';
import type { RangeId } from '@/components/patterns/ranges';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { Unanswered } from '@/components/patterns/unanswered';
import { useFormat } from '@/components/patterns/use-format';
import { type QueueSeries, queueQueries } from './queries';

/** Pixels of both charts with their heads. */
const CHARTS_HEIGHT = 456;

interface QueueHistoryProps {
  keyId: string;
  range: RangeId;
  onRange: (range: RangeId) => void;
}

/** The length of a queue and its rates over time, from the console's samples. */
export const QueueHistory = ({ keyId, range, onRange }: QueueHistoryProps) => {
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const query = useQuery(queueQueries.series(id, keyId, range));
  return (
    <Panel title={tWord('overTime')} note={<RangeControl value={range} onChange={onRange} />}>
      <StaleBanner error={query.data && query.error} valuesFrom={query.dataUpdatedAt} />
      {query.data ? (
        <Charts history={query.data} />
      ) : (
        <Unanswered query={query} height={CHARTS_HEIGHT} radius="md" />
      )}
    </Panel>
  );
};

const useSeries = (): Record<'length' | 'rates', Series[]> => {
  const t = useTranslations('queues.history');
  const tQueues = useTranslations('queues');
  const tWord = useTranslations('words');
  return useMemo(
    () => ({
      length: [{ id: 'length', name: tWord('length'), color: 1 }],
      rates: [
        { id: 'in', name: tQueues('drawer.in'), color: 4 },
        { id: 'out', name: t('out'), color: 3, dash: '7 3' },
      ],
    }),
    [t, tWord, tQueues],
  );
};

const Charts = ({ history: { points, stepSeconds, from: begin, to } }: { history: QueueSeries }) => {
  const t = useTranslations('queues.history');
  const tWord = useTranslations('words');
  const format = useFormat();
  const series = useSeries();
  const samples = useMemo(
    () =>
      points.map(
        ({ at, length, inPerSecond, outPerSecond }): Sample => ({
          at: Date.parse(at),
          length,
          in: inPerSecond,
          out: outPerSecond,
        }),
      ),
    [points],
  );
  if (samples.length === 0) return <EmptyState title={tWord('noSamples')}>{t('emptyNote')}</EmptyState>;
  const stepMs = stepSeconds * 1000;
  const from = shownFrom(samples, begin, to);
  const shared = { points: samples, stepMs, from, to, height: 180 } as const;
  return (
    <>
      <TimeSeriesChart
        {...shared}
        label={t('lengthLabel')}
        name="queue-length"
        series={series.length}
        axis={WHOLE}
        format={format.count}
      />
      <TimeSeriesChart
        {...shared}
        label={t('ratesLabel')}
        name="queue-rates"
        series={series.rates}
        format={format.perSecond}
      />
      <Group justify="space-between">
        <Dimmed size="xs">
          {points.every(({ inPerSecond }) => inPerSecond === null) && t('noRates')}
          {points.some(({ ratesAreAtLeast }) => ratesAreAtLeast) && t('someAtLeast')}
        </Dimmed>
        <Dimmed size="xs">
          {tWord('eachPoint', {
            step: format.duration(stepSeconds),
            coverage: format.ratio(coverageOf(samples, from, to, stepMs)),
          })}
        </Dimmed>
      </Group>
    </>
  );
};

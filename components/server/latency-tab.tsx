'use client';

import { Alert, Code, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { useConnection } from '@/components/patterns/connection';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useFormat } from '@/components/patterns/use-format';
import type { LatencyEvent } from '@/lib/server/schema';
import { Missing, Refused } from './parts';
import { serverQueries } from './queries';
import classes from './server.module.css';

const CHART_HEIGHT = 180;
const SECOND_MS = 1000;

/** Spikes that the server recorded, and the round trips of Keyward itself. */
export const LatencyTab = () => {
  const t = useTranslations('server');
  const format = useFormat();
  const { id } = useConnection();
  const query = useQuery(serverQueries.latency(id));
  const { data } = query;
  if (!data)
    return query.isError ? (
      <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <Skeleton height={CHART_HEIGHT} radius="md" />
    );
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={data.readAt} />
      <Refused refused={data.refused} />
      <Missing commands={data.missing} />
      {data.thresholdMs === 0 && (
        <Alert color="gray" title={t('latency.off')} mb="sm">
          {t.rich('latency.howTo', {
            command: () => <Code>CONFIG SET latency-monitor-threshold 100</Code>,
          })}
        </Alert>
      )}
      <div className={classes.sections}>
        <Panel title={t('latency.roundTrips')} note={t('latency.roundTripsNote')}>
          {data.roundTrips === null || data.roundTrips.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t(data.roundTrips ? 'latency.noRoundTrips' : 'latency.roundTripsUnknown')}
            </Text>
          ) : (
            <Chart
              label={t('latency.roundTripsLabel')}
              name="round-trips"
              points={data.roundTrips}
              stepMs={SECOND_MS}
            />
          )}
        </Panel>
        {data.items.map((event) => (
          <Spikes key={`${event.event} ${event.node ?? ''}`} event={event} />
        ))}
      </div>
      {data.items.length === 0 && !data.refused && data.thresholdMs !== 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {data.thresholdMs === null
            ? t('latency.noneUnknown')
            : t('latency.none', { threshold: format.ms(data.thresholdMs) })}
        </Text>
      )}
    </>
  );
};

const Spikes = ({ event: { event, node, at, latestMs, maxMs, history } }: { event: LatencyEvent }) => {
  const t = useTranslations('server');
  const format = useFormat();
  return (
    <Panel
      title={event}
      note={
        <>
          {node !== null && <>{node} · </>}
          {t('latency.facts', { latest: format.ms(latestMs), max: format.ms(maxMs) })} ·{' '}
          <RelativeTime at={at} />
        </>
      }
    >
      {history && history.length > 0 ? (
        // Spikes are single moments: none of them is joined to the next.
        <Chart label={t('latency.label', { event })} name={`latency-${event}`} points={history} stepMs={1} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('latency.noHistory')}
        </Text>
      )}
    </Panel>
  );
};

interface ChartProps {
  label: string;
  name: string;
  points: readonly { at: string; ms: number | null }[];
  stepMs: number;
}

const Chart = ({ label, name, points, stepMs }: ChartProps) => {
  const tWord = useTranslations('words');
  const format = useFormat();
  const samples = points.map(({ at, ms }) => ({ at: Date.parse(at), ms }));
  const [first, last] = [samples[0]!.at, samples.at(-1)!.at];
  return (
    <TimeSeriesChart
      label={label}
      name={name}
      series={[{ id: 'ms', name: tWord('duration'), color: 5 }]}
      points={samples}
      stepMs={stepMs}
      from={first === last ? first - 30 * SECOND_MS : first}
      to={first === last ? last + 30 * SECOND_MS : last}
      format={format.ms}
      height={CHART_HEIGHT}
    />
  );
};

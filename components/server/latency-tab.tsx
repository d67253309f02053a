'use client';

import { Alert, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { Columns } from '@/components/patterns/columns';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Panel } from '@/components/patterns/panel';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { Unanswered } from '@/components/patterns/unanswered';
import { useFormat } from '@/components/patterns/use-format';
import type { LatencyEvent } from '@/lib/server/schema';
import { Missing, Refused } from './parts';
import { serverQueries } from './queries';

const CHART_HEIGHT = 180;
const SECOND_MS = 1000;

/** Spikes that the server recorded, and the round trips of Keyward itself. */
export const LatencyTab = () => {
  const t = useTranslations('server');
  const format = useFormat();
  const { id } = useConnection();
  const query = useQuery(serverQueries.latency(id));
  const { data } = query;
  if (!data) return <Unanswered query={query} height={CHART_HEIGHT} radius="md" />;
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
      <Columns keepsWidth>
        <Panel title={t('latency.roundTrips')} note={t('latency.roundTripsNote')}>
          {data.roundTrips === null || data.roundTrips.length === 0 ? (
            <Dimmed>{t(data.roundTrips ? 'latency.noRoundTrips' : 'latency.roundTripsUnknown')}</Dimmed>
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
      </Columns>
      {data.items.length === 0 && !data.refused && data.thresholdMs !== 0 && (
        <Dimmed mt="sm">
          {data.thresholdMs === null
            ? t('latency.noneUnknown')
            : t('latency.none', { threshold: format.ms(data.thresholdMs) })}
        </Dimmed>
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
        <Dimmed>{t('latency.noHistory')}</Dimmed>
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

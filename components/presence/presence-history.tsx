'use client';

import { Group } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Sample } from '@/components/charts/gaps';
import { coverageOf, shownFrom } from '@/components/charts/span';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { WHOLE } from '@/components/charts/value-axis';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { Panel } from '@/components/patterns/panel';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { RangeControl } from '@/components/patterns/range-control';
import { RANGES, type RangeId, rangeOf } from '@/components/patterns/ranges';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { Unanswered } from '@/components/patterns/unanswered';
import { useFormat } from '@/components/patterns/use-format';
import { useUrlState } from '@/components/patterns/use-url-state';
import { call } from '@/lib/api-client';
import { presenceContracts } from '@/lib/presence/schema';
import { iso } from '@/lib/time';

/** Pixels of the chart with its head. */
const CHART_HEIGHT = 262;

const FIELDS = { range: '24h' };

/** `from` and `to` of the answer are epoch ms. */
const historyQuery = (connection: string, range: RangeId) =>
  queryOptions({
    queryKey: queryKeyOf(presenceContracts.history, connection, { range }),
    placeholderData: keepWithin(queryKeyOf(presenceContracts.history, connection)),
    queryFn: async ({ signal }) => {
      const { spanMs, stepSeconds } = RANGES[range];
      const to = Date.now();
      const from = to - spanMs;
      const input = { from: iso(from), to: iso(to), stepSeconds };
      return { ...(await call(presenceContracts.history, input, { connection, signal })), from, to };
    },
    refetchInterval: RANGES[range].refetchMs,
  });

/** Users online over time, from the console's samples. */
export const PresenceHistory = () => {
  const t = useTranslations('presence.history');
  const { id } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS);
  const range = rangeOf(url.range);
  const query = useQuery(historyQuery(id, range));
  return (
    <Panel
      title={t('title')}
      note={<RangeControl value={range} onChange={(chosen) => setUrl({ range: chosen })} />}
    >
      <Dimmed size="xs" mb="sm">
        {t('explain')}
      </Dimmed>
      <StaleBanner error={query.data && query.error} valuesFrom={query.dataUpdatedAt} />
      {query.data ? (
        <Chart history={query.data} />
      ) : (
        <Unanswered query={query} height={CHART_HEIGHT} radius="md" />
      )}
    </Panel>
  );
};

interface History {
  points: { at: string; online: number }[];
  stepSeconds: number;
  from: number;
  to: number;
}

const Chart = ({ history: { points, stepSeconds, from: begin, to } }: { history: History }) => {
  const t = useTranslations('presence.history');
  const tPresence = useTranslations('presence');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const format = useFormat();
  const name = tPresence('label');
  const series = useMemo(() => [{ id: 'online', name, color: 1 as const }], [name]);
  const samples = useMemo(
    () => points.map(({ at, online }): Sample => ({ at: Date.parse(at), online })),
    [points],
  );
  if (samples.length === 0) return <EmptyState title={tWord('noSamples')}>{t('emptyNote')}</EmptyState>;
  const stepMs = stepSeconds * 1000;
  const from = shownFrom(samples, begin, to);
  return (
    <>
      <TimeSeriesChart
        label={t('label', { connection: id })}
        name={`${id}-online`}
        series={series}
        points={samples}
        stepMs={stepMs}
        from={from}
        to={to}
        axis={WHOLE}
        format={format.count}
        height={220}
      />
      <Group justify="flex-end">
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

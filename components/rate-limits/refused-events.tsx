'use client';

import { SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { ServerSentence } from '@/components/patterns/server-sentence';
import { Strong } from '@/components/patterns/strong';
import { useFormat } from '@/components/patterns/use-format';
import { useUrlState } from '@/components/patterns/use-url-state';
import { STEP_MS } from '@/lib/rate-limits/schema';
import { isProjectId, NO_TEST } from './address';
import { filled } from './filled';
import { REFUSED_RANGES, type RefusedRange, rateLimitQueries } from './queries';
import { TypedField } from './typed-field';

const RANGES = Object.keys(REFUSED_RANGES) as RefusedRange[];

interface RefusedEventsProps {
  projectId: string;
  /** The surrounding panel shows the title. */
  titled?: boolean;
}

/** Refused events of a project over time; "—" with the reason without RedisTimeSeries. */
export const RefusedEvents = ({ projectId, titled = false }: RefusedEventsProps) => {
  const t = useTranslations('rateLimits.refused');
  const connection = useConnection();
  const format = useFormat();
  const [range, setRange] = useState<RefusedRange>('day');
  const { data, error, isPending } = useQuery(rateLimitQueries.refused(connection.id, projectId, range));
  const samples = useMemo(
    () => (data ? filled(data.points, data.from, data.to, STEP_MS[data.granularity]) : []),
    [data],
  );
  const total = data?.points.reduce((sum, { refused }) => sum + refused, 0) ?? 0;
  return (
    <section aria-label={t('title')}>
      {!titled && <Strong mb={4}>{t('title')}</Strong>}
      {isPending && <Skeleton height={120} radius="md" />}
      {error && !data && <ProblemAlert error={error} />}
      {data && !data.available && (
        <Text size="sm">
          —{' '}
          <Dimmed span>
            <ServerSentence>{data.reason}</ServerSentence>
          </Dimmed>
        </Text>
      )}
      {data?.available && (
        <>
          <SegmentedControl
            size="xs"
            mb="xs"
            aria-label={t('range')}
            value={range}
            onChange={(value) => setRange(value as RefusedRange)}
            data={RANGES.map((value) => ({ value, label: t(`ranges.${value}`) }))}
          />
          <Text size="sm">{data.points.length > 0 ? t('total', { count: total }) : t('none')}</Text>
          {data.points.length > 0 && (
            <TimeSeriesChart
              label={t('label', { project: projectId })}
              name={`refused-${projectId}`}
              series={[{ id: 'refused', name: t('title'), color: 3 }]}
              points={samples}
              stepMs={STEP_MS[data.granularity]}
              from={data.from}
              to={data.to}
              format={format.count}
              height={160}
            />
          )}
          <Dimmed size="xs">{t('together')}</Dimmed>
        </>
      )}
    </section>
  );
};

/** Refused events of a chosen project: the collector counts them per project only. */
export const RefusedPanel = () => {
  const t = useTranslations('rateLimits');
  const [url, setUrl] = useUrlState(NO_TEST);
  const project = url.project.trim();
  return (
    <Panel title={t('refused.title')}>
      <Stack gap="sm">
        <TypedField
          label={t('column.project')}
          description={t('refused.choose')}
          value={url.project}
          onChange={(text) => setUrl({ project: text.trim() })}
          error={project !== '' && !isProjectId(project) && t('refused.choose')}
          maxLength={24}
          maw={320}
        />
        {isProjectId(project) ? (
          <RefusedEvents key={project} projectId={project} titled />
        ) : (
          <Dimmed>{t('refused.perProject')}</Dimmed>
        )}
      </Stack>
    </Panel>
  );
};

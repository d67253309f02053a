'use client';

import { Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useMemo } from 'react';
import type { Sample } from '@/components/charts/gaps';
import type { ChartEvent } from '@/components/charts/marks';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { QueryProblem } from '@/components/patterns/query-problem';
import { RangeControl } from '@/components/patterns/range-control';
import { type RangeId, rangeOf } from '@/components/patterns/ranges';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { GuardPoint } from '@/lib/guard/traffic/schema';
import { changeMarks, redisMarks } from './guard-marks';
import { ROLE_OF_SIZE, SIZES, type Size, SizePanel } from './size-panel';
import classes from './traffic.module.css';
import { trafficQueries } from './traffic-queries';

const FIELDS = { range: '24h' };
/** Pixels of a panel with its chart. */
const CHART_PANEL_HEIGHT = 300;

const toSample = ({ at, ...sizes }: GuardPoint): Sample => ({ at: Date.parse(at), ...sizes });

/** Banned addresses, blocked and limited projects over time, from the console's samples. */
export const GuardHistory = ({ refused }: { refused: ReactNode }) => {
  const t = useTranslations('guard.history');
  const tWord = useTranslations('words');
  const { id, roles } = useConnection();
  const sizes = SIZES.filter((size) => roles.includes(ROLE_OF_SIZE[size]));
  const [url, setUrl] = useUrlState(FIELDS);
  const range = rangeOf(url.range);
  const query = useQuery(trafficQueries.sizes(id, range));
  const marks = useGuardMarks(id, range);
  const samples = useMemo(() => query.data?.points.map(toSample) ?? [], [query.data]);
  if (query.isError && !query.data) return <QueryProblem of={query} />;
  const to = query.data?.to ?? 0;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <Group justify="space-between" mb="sm" gap="xs">
        <Dimmed>{t('explain')}</Dimmed>
        <RangeControl value={range} onChange={(value) => setUrl({ range: value })} />
      </Group>
      {query.isPending && (
        <div className={classes.charts}>
          {sizes.map((size) => (
            <Skeleton key={size} height={CHART_PANEL_HEIGHT} radius="md" />
          ))}
        </div>
      )}
      {query.data && samples.length === 0 && (
        <EmptyState title={tWord('noSamples')}>{t('emptyNote')}</EmptyState>
      )}
      {query.data && samples.length > 0 && (
        <div className={classes.charts}>
          {sizes.map((size) => (
            <SizePanel
              key={size}
              size={size}
              samples={samples}
              marks={marks[size]}
              from={query.data.from}
              to={to}
              stepMs={query.data.stepSeconds * 1000}
            />
          ))}
        </div>
      )}
      {refused}
    </>
  );
};

/** Marks on the charts: events of the Redis server and, for those who may read the audit log, changes. */
const useGuardMarks = (connection: string, range: RangeId): Record<Size, ChartEvent[]> => {
  const t = useTranslations('guard.history.event');
  const mayAudit = useMay('audit:view');
  const events = useQuery(trafficQueries.events(connection, range)).data;
  const changes = useQuery({ ...trafficQueries.changes(connection, range), enabled: mayAudit }).data;
  return useMemo(() => {
    const ofRedis = redisMarks(events ?? []).map(({ at, kind }) => ({ at, label: t(kind) }));
    const of = (size: Size) =>
      changeMarks(changes ?? [], size).map(({ at, kind }) => ({ at, label: t(kind) }));
    return Object.fromEntries(SIZES.map((size) => [size, [...ofRedis, ...of(size)]])) as Record<
      Size,
      ChartEvent[]
    >;
  }, [events, changes, t]);
};

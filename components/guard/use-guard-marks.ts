'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { ChartEvent } from '@/components/charts/marks';
import type { RangeId } from '@/components/patterns/ranges';
import { useMay } from '@/components/patterns/viewer';
import { changeMarks, redisMarks } from './guard-marks';
import { SIZES, type Size } from './size-panel';
import { trafficQueries } from './traffic-queries';

/** Marks on the charts: events of the Redis server and, for those who may read the audit log, changes. */
export const useGuardMarks = (connection: string, range: RangeId): Record<Size, ChartEvent[]> => {
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

'use client';

import { Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Sample } from '@/components/charts/gaps';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { WHOLE } from '@/components/charts/value-axis';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { QueryProblem } from '@/components/patterns/query-problem';
import { useFormat } from '@/components/patterns/use-format';
import type { RuleId } from '@/lib/conventions/schema';
import classes from './conventions.module.css';
import { oldestFirst, stepOf } from './history-samples';
import { conventionQueries } from './queries';

interface RuleHistoryProps {
  rule: RuleId;
  title: string;
}

/** Violations of a rule over time. */
export const RuleHistory = ({ rule, title }: RuleHistoryProps) => {
  const query = useInfiniteQuery(conventionQueries.history(useConnection().id));
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const points = useMemo(
    () => oldestFirst(items, ({ counts }) => ({ count: counts[rule] ?? null })),
    [items, rule],
  );
  if (query.isPending) return <Skeleton className={classes.chart} radius="md" />;
  if (!query.data) return <QueryProblem of={query} />;
  return <Chart rule={rule} title={title} points={points} />;
};

const Chart = ({ rule, title, points }: RuleHistoryProps & { points: Sample[] }) => {
  const t = useTranslations('conventions.history');
  const tConventions = useTranslations('conventions');
  const { id } = useConnection();
  const format = useFormat();
  const series = useMemo(
    () => [{ id: 'count', name: tConventions('column.count'), color: 3 as const }],
    [tConventions],
  );
  const known = points.filter(({ count }) => count !== null);
  // A single report does not make a history.
  if (known.length < 2) return <Dimmed>{t('tooShort')}</Dimmed>;
  return (
    <TimeSeriesChart
      label={t('ruleLabel', { rule: title, connection: id })}
      name={`${id}-${rule}`}
      series={series}
      points={points}
      stepMs={stepOf(points)}
      from={points[0]!.at}
      to={points.at(-1)!.at}
      axis={WHOLE}
      format={format.count}
      height={160}
    />
  );
};

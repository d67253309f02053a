'use client';

import { Skeleton, Stack } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { RATIO } from '@/components/charts/value-axis';
import { countColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { pagesOf } from '@/components/data-table/query-pages';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Panel } from '@/components/patterns/panel';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useFormat } from '@/components/patterns/use-format';
import type { Result } from '@/lib/contract';
import type { conventionContracts, RuleId } from '@/lib/conventions/schema';
import { UNKNOWN } from '@/lib/format';
import classes from './conventions.module.css';
import { oldestFirst, stepOf } from './history-samples';
import { conventionQueries } from './queries';

type Past = Result<typeof conventionContracts.history>['items'][number];

interface HistoryTabProps {
  ruleTitle: (rule: RuleId) => string;
}

const NONE: Past[] = [];
const violations = ({ counts }: Past): number =>
  Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
const failing = ({ counts }: Past): number =>
  Object.values(counts).filter((count) => (count ?? 0) > 0).length;

/** The score over time, and every check with what it found. */
export const HistoryTab = ({ ruleTitle }: HistoryTabProps) => {
  const t = useTranslations('conventions.history');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const query = useInfiniteQuery(conventionQueries.history(id));
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? NONE, [query.data]);
  const columns = useColumns(ruleTitle);
  return (
    <Stack gap="md">
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <Panel title={tWord('score')}>
        <div className={classes.chart}>
          {query.data ? <ScoreChart rows={rows} /> : <Skeleton className={classes.chart} radius="md" />}
        </div>
      </Panel>
      <DataTable
        {...pagesOf(query)}
        label={t('label')}
        name={`conventions-history-${id}`}
        columns={columns}
        rows={rows}
        rowId={({ at }) => at}
        empty={{ icon: IconHistory, title: t('empty'), text: t('emptyText') }}
      />
    </Stack>
  );
};

const ScoreChart = ({ rows }: { rows: Past[] }) => {
  const t = useTranslations('conventions.history');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const format = useFormat();
  const series = useMemo(() => [{ id: 'score', name: tWord('score'), color: 1 as const }], [tWord]);
  // The chart's axis of shares is 0–1.
  const points = useMemo(
    () => oldestFirst(rows, ({ score }) => ({ score: score === null ? null : score / 100 })),
    [rows],
  );
  if (points.filter(({ score }) => score !== null).length < 2) return <Dimmed>{t('tooShort')}</Dimmed>;
  return (
    <TimeSeriesChart
      label={t('scoreLabel', { connection: id })}
      name={`${id}-score`}
      series={series}
      points={points}
      stepMs={stepOf(points)}
      from={points[0]!.at}
      to={points.at(-1)!.at}
      axis={RATIO}
      format={(value) => format.number(value === null ? null : value * 100, 1)}
      height={170}
    />
  );
};

const ScoreText = ({ score }: { score: number | null }) => useFormat().number(score, 1);

/** The rules with most violations: "Names in lower case (12), TTL on every key (3)". */
const worstOf = (
  { counts }: Past,
  ruleTitle: (rule: RuleId) => string,
  write: (count: number) => string,
): string =>
  (Object.entries(counts) as [RuleId, number][])
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([rule, count]) => `${ruleTitle(rule)} (${write(count)})`)
    .join(', ') || UNKNOWN;

const useColumns = (ruleTitle: (rule: RuleId) => string): DataColumn<Past>[] => {
  const t = useTranslations('conventions.history.column');
  const tConventions = useTranslations('conventions');
  const tWord = useTranslations('words');
  const format = useFormat();
  return useMemo(
    (): DataColumn<Past>[] => [
      timeColumn({
        id: 'at',
        header: tConventions('column.of'),
        width: 140,
        pinned: true,
      }),
      {
        id: 'score',
        header: tWord('score'),
        width: 80,
        align: 'right',
        cell: ({ score }) => <ScoreText score={score} />,
      },
      countColumn({ id: 'failing', header: t('failing'), width: 100, of: failing }),
      countColumn({ id: 'violations', header: tConventions('column.count'), width: 110, of: violations }),
      {
        id: 'worst',
        header: t('worst'),
        width: 420,
        card: 'hidden',
        value: (row) => worstOf(row, ruleTitle, format.count),
      },
    ],
    [t, format, ruleTitle, tWord, tConventions],
  );
};

'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Sparkline } from '@/components/charts/sparkline';
import type { DataColumn } from '@/components/data-table/columns';
import { SmallNote } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { MetricProblemBadge, MetricValue, useMetricNumber } from '@/components/patterns/metric-value';
import type { MetricItem } from '@/lib/metrics/schema';
import { visibleText } from '@/lib/visible-text';
import { type MetricGroup, otherPeriods } from './metric-groups';
import classes from './metrics.module.css';

/** Fields of statistics in a cell; all are in the drawer. */
const MAX_FIELDS = 3;
/** Characters of a period in a header. */
const MAX_HEADER = 24;

const Line = ({ values }: { values: readonly (number | null)[] | undefined }) => (
  <span className={classes.line}>
    {values?.some((value) => value !== null) && <Sparkline values={[...values]} />}
  </span>
);

const StatsCell = ({ item }: { item: MetricItem }) => {
  const tWord = useTranslations('words');
  const write = useMetricNumber();
  const fields = item.fields ?? [];
  const more = fields.length - MAX_FIELDS;
  return (
    <span className={classes.fields}>
      {fields.slice(0, MAX_FIELDS).map(({ fieldId, field, value, problem }) => (
        <span key={fieldId} className={classes.field}>
          <SmallNote>
            <HostileText max={20}>{field}</HostileText>
          </SmallNote>
          <span>{problem === null ? write(value) : '—'}</span>
        </span>
      ))}
      {more > 0 && <SmallNote>{tWord('andMore', { count: more })}</SmallNote>}
      {item.problem !== null && <MetricProblemBadge problem={item.problem} />}
    </span>
  );
};

const MetricCell = ({ item }: { item: MetricItem | undefined }) => {
  if (!item) return <span>—</span>;
  if (item.kind === 'stats') return <StatsCell item={item} />;
  return (
    <span className={classes.cell}>
      <MetricValue figure={item} />
      <Line values={item.series} />
    </span>
  );
};

const NameCell = ({ group }: { group: MetricGroup }) => {
  const t = useTranslations('metrics');
  return (
    <span className={classes.name}>
      <HostileText max={80}>{group.name}</HostileText>
      {group.kind === 'stats' && (
        <Badge color="gray" size="sm">
          {t('kind.stats')}
        </Badge>
      )}
    </span>
  );
};

/** The value of a cell in an exported file. */
const plain = (item: MetricItem | undefined): string | number | null => {
  if (!item) return null;
  if (item.kind === 'metric') return item.text ?? item.value;
  return (item.fields ?? []).map(({ field, value, text }) => `${field}=${text ?? value ?? ''}`).join(' ');
};

/** A column for each of `periods`, and one for the others where a name has any. */
export const useMetricColumns = (
  periods: readonly string[],
  hasOthers: boolean,
): DataColumn<MetricGroup>[] => {
  const t = useTranslations('metrics');
  const tWord = useTranslations('words');
  return useMemo((): DataColumn<MetricGroup>[] => {
    const itemOf = (group: MetricGroup, period: string) => group.items.find((item) => item.period === period);
    return [
      {
        id: 'name',
        header: tWord('name'),
        width: 220,
        pinned: true,
        cell: (group) => <NameCell group={group} />,
      },
      ...periods.map(
        (period): DataColumn<MetricGroup> => ({
          id: `period ${period}`,
          header: visibleText(period, MAX_HEADER),
          width: 150,
          cell: (group) => <MetricCell item={itemOf(group, period)} />,
          value: (group) => plain(itemOf(group, period)),
        }),
      ),
      ...(hasOthers
        ? [
            {
              id: 'others',
              header: t('column.others'),
              width: 110,
              cell: (group: MetricGroup) => {
                const count = otherPeriods(group, periods).length;
                return count > 0 ? t('others', { count }) : '—';
              },
              value: (group: MetricGroup) => otherPeriods(group, periods).length,
            },
          ]
        : []),
    ];
  }, [t, periods, hasOthers, tWord]);
};

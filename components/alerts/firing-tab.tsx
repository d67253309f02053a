'use client';

import { Badge, Group } from '@mantine/core';
import { IconBellOff, IconBellRinging } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, timeColumn } from '@/components/data-table/column-kinds';
import { DataTable } from '@/components/data-table/data-table';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { RowButton } from '@/components/data-table/row-button';
import { HostileText } from '@/components/patterns/hostile-text';
import { onDemand } from '@/components/patterns/on-demand';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { TextLink } from '@/components/patterns/text-link';
import { useOpened } from '@/components/patterns/use-opened';
import { useMay } from '@/components/patterns/viewer';
import type { AlertRule, AlertSeries, alertContracts } from '@/lib/alerts/schema';
import type { Result } from '@/lib/contract';
import {
  InUnit,
  LabelsText,
  LimitText,
  labelsText,
  limitOf,
  NoDataSince,
  SeverityBadge,
  StateBadge,
} from './words';

const SilenceDrawer = onDemand(async () => (await import('./rule-action-drawers')).SilenceDrawer);

/** A series that fires or is about to. */
interface Row {
  rule: AlertRule;
  series: AlertSeries;
}

const rowId = ({ rule, series }: Row): string => `${rule.id} ${series.id}`;

const rowsOf = (rules: readonly AlertRule[]): Row[] =>
  (['firing', 'pending'] as const).flatMap((state) =>
    rules.flatMap((rule) =>
      rule.series.filter((series) => series.state === state).map((series) => ({ rule, series })),
    ),
  );

const RuleName = ({ rule: { href, name } }: Row) => {
  const shown = <HostileText max={100}>{name}</HostileText>;
  return href === null ? shown : <TextLink href={href}>{shown}</TextLink>;
};

const State = ({ rule: { severity }, series: { state, silenced } }: Row) => {
  const t = useTranslations('alerts');
  return (
    <Group gap={4}>
      <StateBadge state={state} />
      <SeverityBadge severity={severity} />
      {silenced && <Badge color="gray">{t('silenced')}</Badge>}
    </Group>
  );
};

export const FIRING = declareColumns<Row>('alerts.column', [
  { id: 'rule', width: 220, pinned: true, cell: RuleName, value: ({ rule }) => rule.name },
  { id: 'state', width: 200, cell: (row) => <State {...row} />, value: ({ series }) => series.state },
  {
    id: 'series',
    width: 180,
    minor: true,
    cell: ({ series }) => <LabelsText labels={series.labels} />,
    value: ({ series }) => labelsText(series.labels),
  },
  {
    id: 'value',
    width: 130,
    align: 'right',
    cell: ({ rule, series: { noDataSince, value } }) =>
      noDataSince === null ? <InUnit value={value} unit={rule.unit} /> : <NoDataSince at={noDataSince} />,
    value: ({ series }) => series.value,
  },
  {
    id: 'threshold',
    width: 190,
    cell: ({ rule }) => <LimitText rule={rule} />,
    value: ({ rule }) => limitOf(rule),
  },
  timeColumn<Row>({ id: 'since', width: 120, of: ({ series }) => series.since }),
]);

/** What fires now, and what will if it goes on. */
export const FiringTab = ({ query }: { query: UseQueryResult<Result<typeof alertContracts.list>> }) => {
  const t = useTranslations('alerts');
  const { data, error, dataUpdatedAt, refetch } = query;
  const mayManage = useMay('users:manage');
  const silence = useOpened<Row>();
  const { about, key, open } = silence;
  const rows = useMemo(() => rowsOf(data?.items ?? []), [data]);
  const declared = useDeclaredColumns(FIRING);
  const columns = useMemo(() => {
    if (!mayManage) return declared;
    const button = actionsColumn<Row>({
      width: 64,
      cell: (row) =>
        row.series.silenced ? null : (
          <RowButton
            hint={t('rules.menu.silence')}
            label={t('silence.title', { name: row.rule.name })}
            icon={<IconBellOff size={16} />}
            onClick={() => open(row)}
          />
        ),
    });
    return [...declared, button];
  }, [declared, t, mayManage, open]);
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  const evaluatedAt = data?.evaluatedAt;
  return (
    <>
      <StaleBanner error={error} valuesFrom={dataUpdatedAt} />
      <DataTable
        label={t('firing.label')}
        name="alerts-firing"
        columns={columns}
        rows={rows}
        rowId={rowId}
        loading={data === undefined}
        live={[]}
        empty={{
          icon: IconBellRinging,
          title: t(evaluatedAt ? 'firing.empty' : 'notEvaluated.title'),
          text: evaluatedAt ? (
            t.rich('firing.evaluated', { when: () => <RelativeTime at={evaluatedAt} /> })
          ) : (
            <span>{t('notEvaluated.unknown')}</span>
          ),
        }}
      />
      {about && <SilenceDrawer key={key} rule={about.rule} ofSeries={about.series.id} {...silence.props} />}
    </>
  );
};

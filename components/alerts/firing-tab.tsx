'use client';

import { Anchor, Badge, Group } from '@mantine/core';
import { IconBellOff, IconBellRinging } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { RowButton } from '@/components/data-table/row-button';
import { EmptyState } from '@/components/patterns/empty-state';
import { HostileText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { RelativeTime } from '@/components/patterns/relative-time';
import type { AlertRule, AlertSeries, alertContracts } from '@/lib/alerts/schema';
import type { Result } from '@/lib/contract';
import type { RuleAction } from './rule-action-drawers';
import { LabelsText, labelsText, SeverityBadge, StateBadge, useInUnit, useLimit } from './words';

/** A series that fires or is about to. */
interface Row {
  rule: AlertRule;
  series: AlertSeries;
}

interface FiringTabProps {
  answer: Result<typeof alertContracts.list> | undefined;
  /** Absent: without the permission. */
  onAction: ((action: RuleAction) => void) | undefined;
}

const rowId = ({ rule, series }: Row): string => `${rule.id} ${series.id}`;

const rowsOf = (rules: readonly AlertRule[]): Row[] =>
  (['firing', 'pending'] as const).flatMap((state) =>
    rules.flatMap((rule) =>
      rule.series.filter((series) => series.state === state).map((series) => ({ rule, series })),
    ),
  );

/** What fires now, and what will if it goes on. */
export const FiringTab = ({ answer, onAction }: FiringTabProps) => {
  const t = useTranslations('alerts');
  const rows = useMemo(() => rowsOf(answer?.items ?? []), [answer]);
  const columns = useColumns(onAction);
  const evaluatedAt = answer?.evaluatedAt;
  return (
    <DataTable
      label={t('firing.label')}
      name="alerts-firing"
      columns={columns}
      rows={rows}
      rowId={rowId}
      loading={answer === undefined}
      live={[]}
      empty={
        <EmptyState
          icon={<IconBellRinging size={20} />}
          title={t(evaluatedAt ? 'firing.empty' : 'notEvaluated.title')}
        >
          {evaluatedAt ? (
            t.rich('firing.evaluated', { when: () => <RelativeTime at={evaluatedAt} /> })
          ) : (
            <span>{t('notEvaluated.unknown')}</span>
          )}
        </EmptyState>
      }
    />
  );
};

const useColumns = (onAction: FiringTabProps['onAction']): DataColumn<Row>[] => {
  const t = useTranslations('alerts');
  const inUnit = useInUnit();
  const limit = useLimit();
  return useMemo(() => {
    const columns: DataColumn<Row>[] = [
      {
        id: 'rule',
        header: t('column.rule'),
        width: 220,
        pinned: true,
        cell: ({ rule: { href, name } }) => {
          const shown = <HostileText max={100}>{name}</HostileText>;
          return href === null ? (
            shown
          ) : (
            <Anchor component={Link} href={href} size="sm">
              {shown}
            </Anchor>
          );
        },
        value: ({ rule }) => rule.name,
      },
      {
        id: 'state',
        header: t('column.state'),
        width: 200,
        cell: ({ rule, series }) => (
          <Group gap={4}>
            <StateBadge state={series.state} />
            <SeverityBadge severity={rule.severity} />
            {series.silenced && <Badge color="gray">{t('silenced')}</Badge>}
          </Group>
        ),
        value: ({ series }) => series.state,
      },
      {
        id: 'series',
        header: t('column.series'),
        width: 200,
        cell: ({ series }) => <LabelsText labels={series.labels} />,
        value: ({ series }) => labelsText(series.labels),
      },
      {
        id: 'value',
        header: t('column.value'),
        width: 130,
        align: 'right',
        cell: ({ rule, series }) =>
          series.noDataSince === null ? (
            inUnit(series.value, rule.unit)
          ) : (
            <span>{t.rich('noDataSince', { when: () => <RelativeTime at={series.noDataSince} /> })}</span>
          ),
        value: ({ series }) => series.value,
      },
      {
        id: 'limit',
        header: t('column.limit'),
        width: 190,
        cell: ({ rule }) => limit(rule),
        value: ({ rule }) => limit(rule),
      },
      timeColumn({ id: 'since', header: t('column.since'), width: 120, of: ({ series }) => series.since }),
    ];
    if (onAction)
      columns.push(
        actionsColumn({
          width: 64,
          cell: ({ rule, series }) =>
            series.silenced ? null : (
              <RowButton
                hint={t('silence.verb')}
                label={t('silence.title', { name: rule.name })}
                icon={<IconBellOff size={16} />}
                onClick={() => onAction({ kind: 'silence', rule, series: series.id })}
              />
            ),
        }),
      );
    return columns;
  }, [t, inUnit, limit, onAction]);
};

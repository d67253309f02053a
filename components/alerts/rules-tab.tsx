'use client';

import { Badge, Group, Menu } from '@mantine/core';
import { IconBell, IconBellOff, IconEdit, IconHistory, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { MoreMenu } from '@/components/patterns/more-menu';
import { RelativeTime } from '@/components/patterns/relative-time';
import type { AlertRule, alertContracts } from '@/lib/alerts/schema';
import type { Result } from '@/lib/contract';
import { UNKNOWN } from '@/lib/format';
import type { RuleAction } from './rule-action-drawers';
import { SeverityBadge, StateBadge, useInUnit, useLimit } from './words';

interface Actions {
  /** Absent: without the permission. */
  onEdit: ((rule: AlertRule) => void) | undefined;
  onAction: ((action: RuleAction) => void) | undefined;
  onHistory: (rule: AlertRule) => void;
}

interface RulesTabProps extends Actions {
  answer: Result<typeof alertContracts.list> | undefined;
  q: string;
  onSearch: (q: string) => void;
}

const matches =
  (words: string) =>
  ({ name, source }: AlertRule): boolean =>
    name.toLowerCase().includes(words) || source.metric.includes(words);

/** All rules with their state: firing first. */
export const RulesTab = ({ answer, q, onSearch, ...actions }: RulesTabProps) => {
  const t = useTranslations('alerts');
  const rows = useMemo(() => (answer?.items ?? []).filter(matches(q.toLowerCase())), [answer, q]);
  const columns = useColumns({ ...actions, isEvaluated: answer?.evaluatedAt !== null });
  return (
    <>
      <FilterBar
        search={<SearchField value={q} onChange={onSearch} label={t('rules.search')} />}
        onClear={q ? () => onSearch('') : undefined}
      />
      <DataTable
        label={t('rules.label')}
        name="alert-rules"
        columns={columns}
        rows={rows}
        rowId={(rule) => rule.id}
        loading={answer === undefined}
        live={[q]}
        empty={
          <EmptyState icon={<IconBell size={20} />} title={t(q ? 'rules.filtered' : 'rules.empty')}>
            {t(q ? 'rules.noMatch' : 'rules.none')}
          </EmptyState>
        }
      />
    </>
  );
};

const SilencedBadge = ({ silences }: Pick<AlertRule, 'silences'>) => {
  const t = useTranslations('alerts');
  if (silences.length === 0) return null;
  const isWhole = silences.some(({ series }) => series === null);
  return (
    <Badge color="gray">{isWhole ? t('silenced') : t('seriesSilenced', { count: silences.length })}</Badge>
  );
};

interface ColumnOptions extends Actions {
  /** Otherwise "OK" is only what was true a while ago. */
  isEvaluated: boolean;
}

const useColumns = ({ onEdit, onAction, onHistory, isEvaluated }: ColumnOptions): DataColumn<AlertRule>[] => {
  const t = useTranslations('alerts');
  const inUnit = useInUnit();
  const limit = useLimit();
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('column.rule'),
        width: 220,
        pinned: true,
        cell: ({ name }) => <HostileText max={100}>{name}</HostileText>,
        value: ({ name }) => name,
      },
      {
        id: 'state',
        header: t('column.state'),
        width: 260,
        cell: (rule) => (
          <Group gap={4}>
            {rule.state === 'ok' && !isEvaluated ? <span>{UNKNOWN}</span> : <StateBadge state={rule.state} />}
            <SeverityBadge severity={rule.severity} />
            <SilencedBadge silences={rule.silences} />
          </Group>
        ),
        value: ({ state }) => state,
      },
      {
        id: 'metric',
        header: t('column.metric'),
        width: 190,
        cell: ({ source }) => <KeyText max={100}>{source.metric}</KeyText>,
        value: ({ source }) => source.metric,
      },
      {
        id: 'limit',
        header: t('column.limit'),
        width: 150,
        cell: (rule) => limit(rule),
        value: (rule) => limit(rule),
      },
      {
        id: 'value',
        header: t('column.now'),
        width: 110,
        align: 'right',
        cell: ({ current, unit, state, since }) =>
          state === 'noData' && since ? (
            <span>{t.rich('noDataSince', { when: () => <RelativeTime at={since} /> })}</span>
          ) : (
            inUnit(current, unit)
          ),
        value: ({ current }) => current,
      },
      textColumn({
        id: 'channels',
        header: t('column.channels'),
        width: 150,
        minor: true,
        of: ({ channels }) => channels.map(({ name }) => name).join(', ') || null,
      }),
      textColumn({
        id: 'createdBy',
        header: t('column.createdBy'),
        hiddenAtFirst: true,
        of: ({ createdBy }) => createdBy,
      }),
      actionsColumn({
        width: 64,
        cell: (rule) => (
          <MoreMenu label={t('actionsOf', { name: rule.name })}>
            <Menu.Item leftSection={<IconHistory size={16} />} onClick={() => onHistory(rule)}>
              {t('history.of')}
            </Menu.Item>
            {onEdit && (
              <Menu.Item leftSection={<IconEdit size={16} />} onClick={() => onEdit(rule)}>
                {t('form.edit')}
              </Menu.Item>
            )}
            {onAction && (
              <>
                <Menu.Item
                  leftSection={<IconBellOff size={16} />}
                  onClick={() => onAction({ kind: 'silence', rule })}
                >
                  {t('silence.verb')}
                </Menu.Item>
                {rule.silences.length > 0 && (
                  <Menu.Item
                    leftSection={<IconBell size={16} />}
                    onClick={() => onAction({ kind: 'unsilence', rule })}
                  >
                    {t('unsilence.verb')}
                  </Menu.Item>
                )}
                <Menu.Item
                  color="red"
                  leftSection={<IconTrash size={16} />}
                  onClick={() => onAction({ kind: 'delete', rule })}
                >
                  {t('delete.verb')}
                </Menu.Item>
              </>
            )}
          </MoreMenu>
        ),
      }),
    ],
    [t, inUnit, limit, onEdit, onAction, onHistory, isEvaluated],
  );
};

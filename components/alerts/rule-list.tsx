'use client';

import { Badge, Group } from '@mantine/core';
import { IconBell, IconBellOff, IconEdit, IconHistory, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { createContext, useContext } from 'react';
import { declareList } from '@/components/contract-list/declare-list';
import { textColumn } from '@/components/data-table/column-kinds';
import { onDemand } from '@/components/patterns/on-demand';
import { type AlertRule, alertContracts } from '@/lib/alerts/schema';
import { UNKNOWN } from '@/lib/format';
import { REFRESH_MS } from './queries';
import { InUnit, LimitText, limitOf, MetricName, NoDataSince, SeverityBadge, StateBadge } from './words';

/** Whether rules are evaluated: otherwise "OK" is only what was true a while ago. */
export const IsEvaluated = createContext(true);

const State = ({ rule: { state, severity, silences } }: { rule: AlertRule }) => {
  const isEvaluated = useContext(IsEvaluated);
  return (
    <Group gap={4}>
      {state === 'ok' && !isEvaluated ? <span>{UNKNOWN}</span> : <StateBadge state={state} />}
      <SeverityBadge severity={severity} />
      <SilencedBadge silences={silences} />
    </Group>
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

const permission = 'users:manage';

/** All rules with their state: firing first. */
export const RULES = declareList({
  contract: alertContracts.list,
  texts: 'alerts.rules',
  name: 'alert-rules',
  icon: IconBell,
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  everyMs: REFRESH_MS,
  search: 'plain',
  columns: [
    textColumn<AlertRule>({ id: 'rule', width: 220, max: 100, pinned: true, of: ({ name }) => name }),
    { id: 'state', width: 260, cell: (rule) => <State rule={rule} />, value: ({ state }) => state },
    {
      id: 'metric',
      width: 190,
      cell: ({ source }) => <MetricName metric={source.metric} />,
      value: ({ source }) => source.metric,
    },
    {
      id: 'threshold',
      width: 150,
      cell: (rule) => <LimitText rule={rule} />,
      value: limitOf,
    },
    {
      id: 'now',
      width: 110,
      align: 'right',
      cell: ({ current, unit, state, since }) =>
        state === 'noData' && since ? <NoDataSince at={since} /> : <InUnit value={current} unit={unit} />,
      value: ({ current }) => current,
    },
    textColumn<AlertRule>({
      id: 'channels',
      width: 150,
      minor: true,
      of: ({ channels }) => channels.map(({ name }) => name).join(', ') || null,
    }),
    textColumn<AlertRule>({ id: 'createdBy', hiddenAtFirst: true }),
  ],
  isMenu: true,
  actions: {
    history: {
      permission: 'view',
      icon: IconHistory,
      addressOf: ({ id }) => ({ tab: 'history', rule: id }),
    },
    edit: {
      permission,
      icon: IconEdit,
      drawer: onDemand(async () => (await import('./rule-drawer')).RuleDrawer),
    },
    silence: {
      permission,
      icon: IconBellOff,
      drawer: onDemand(async () => (await import('./rule-action-drawers')).SilenceRule),
    },
    unsilence: {
      permission,
      icon: IconBell,
      isOffered: ({ silences }) => silences.length > 0,
      drawer: onDemand(async () => (await import('./rule-action-drawers')).UnsilenceRule),
    },
    delete: {
      permission,
      icon: IconTrash,
      isRed: true,
      drawer: onDemand(async () => (await import('./rule-action-drawers')).DeleteRule),
    },
  },
});

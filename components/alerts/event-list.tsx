'use client';

import { Badge, Group } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { declareList, type ListPartProps } from '@/components/contract-list/declare-list';
import { textColumn, timeColumn } from '@/components/data-table/column-kinds';
import { useConnection } from '@/components/patterns/connection';
import { FilterSelect } from '@/components/patterns/filter-select';
import { onDemand } from '@/components/patterns/on-demand';
import { RelativeTime } from '@/components/patterns/relative-time';
import { type AlertEvent, alertContracts } from '@/lib/alerts/schema';
import { alertQueries, REFRESH_MS } from './queries';
import {
  DELIVERY_COLORS,
  InUnit,
  LabelsText,
  labelsText,
  MetricName,
  SeverityBadge,
  StateBadge,
} from './words';

const OfRule = ({ url, onChange }: ListPartProps) => {
  const t = useTranslations('alerts');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const { data } = useQuery(alertQueries.rules(id));
  return (
    <FilterSelect
      label={tWord('rule')}
      any={t('history.anyRule')}
      data={(data?.items ?? []).map(({ id: value, name }) => ({ value, label: name }))}
      value={url.rule ?? ''}
      onChange={(rule) => onChange({ rule })}
      searchable
      width={260}
    />
  );
};

const DeliverySummary = ({ event: { deliveries, silenced } }: { event: AlertEvent }) => {
  const t = useTranslations('alerts');
  if (silenced) return <Badge color="gray">{t('silenced')}</Badge>;
  if (deliveries.length === 0) return <span>{t('history.noDeliveries')}</span>;
  return (
    <Group gap={4}>
      {(['failed', 'pending', 'delivered'] as const).map((state) => {
        const count = deliveries.filter((each) => each.state === state).length;
        return (
          count > 0 && (
            <Badge key={state} color={DELIVERY_COLORS[state]}>
              {t(`delivery.${state}`, { count })}
            </Badge>
          )
        );
      })}
    </Group>
  );
};

/** What fired, newest first, with its deliveries. */
export const EVENTS = declareList({
  contract: alertContracts.history,
  texts: 'alerts.history',
  name: 'alert-history',
  icon: IconHistory,
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  everyMs: REFRESH_MS,
  facets: { names: ['rule'], of: OfRule, inBar: true },
  columns: [
    textColumn<AlertEvent>({ id: 'rule', width: 220, max: 100, pinned: true, of: ({ name }) => name }),
    {
      id: 'severity',
      width: 110,
      cell: ({ severity }) => <SeverityBadge severity={severity} />,
    },
    {
      id: 'series',
      width: 200,
      cell: ({ labels }) => <LabelsText labels={labels} />,
      value: ({ labels }) => labelsText(labels),
    },
    timeColumn<AlertEvent>({ id: 'fired', width: 120, of: ({ firedAt }) => firedAt }),
    {
      id: 'resolved',
      width: 120,
      cell: ({ resolvedAt }) =>
        resolvedAt === null ? <StateBadge state="firing" /> : <RelativeTime at={resolvedAt} />,
      value: ({ resolvedAt }) => resolvedAt,
    },
    {
      id: 'value',
      width: 110,
      align: 'right',
      cell: ({ value, unit }) => <InUnit value={value} unit={unit} />,
    },
    {
      id: 'deliveries',
      width: 190,
      cell: (event) => <DeliverySummary event={event} />,
      value: ({ deliveries }) => deliveries.map(({ state }) => state).join(' '),
    },
    {
      id: 'metric',
      hiddenAtFirst: true,
      cell: ({ metric }) => <MetricName metric={metric} />,
    },
  ],
  details: onDemand(async () => (await import('./event-drawer')).EventDrawer),
});

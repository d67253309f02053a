'use client';

import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { textColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { pagesOf } from '@/components/data-table/query-pages';
import { useConnection } from '@/components/patterns/connection';
import { Drawer } from '@/components/patterns/drawer';
import { EmptyState } from '@/components/patterns/empty-state';
import { Facts } from '@/components/patterns/facts';
import { FilterBar } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { AbsoluteTime, RelativeTime } from '@/components/patterns/relative-time';
import { useOpened } from '@/components/patterns/use-opened';
import type { AlertDelivery, AlertEvent, AlertRule } from '@/lib/alerts/schema';
import { alertQueries } from './queries';
import { LabelsText, labelsText, SeverityBadge, StateBadge, useInUnit } from './words';

interface HistoryTabProps {
  rules: readonly AlertRule[];
  /** The rule to filter by; '' for any. */
  rule: string;
  onRule: (rule: string) => void;
}

const DELIVERY_COLORS = { delivered: 'green', pending: 'orange', failed: 'red' } as const;

/** What fired, newest first, with its deliveries. */
export const HistoryTab = ({ rules, rule, onRule }: HistoryTabProps) => {
  const t = useTranslations('alerts');
  const { id } = useConnection();
  const query = useInfiniteQuery(alertQueries.history(id, rule));
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const event = useOpened<AlertEvent>();
  const columns = useColumns();
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <>
      <FilterBar active={rule ? 1 : 0} onClear={rule ? () => onRule('') : undefined}>
        <FilterSelect
          label={t('column.rule')}
          any={t('history.anyRule')}
          data={rules.map(({ id: value, name }) => ({ value, label: name }))}
          value={rule}
          onChange={onRule}
          searchable
          width={260}
        />
      </FilterBar>
      <DataTable
        label={t('history.label')}
        name="alert-history"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        {...pagesOf(query)}
        live={[rule]}
        onOpen={event.open}
        empty={
          <EmptyState icon={<IconHistory size={20} />} title={t('history.empty')}>
            {t('history.none')}
          </EmptyState>
        }
      />
      <Drawer
        opened={event.opened}
        onClose={event.close}
        onExitTransitionEnd={event.forget}
        size={560}
        title={<HostileText max={100}>{event.about?.name}</HostileText>}
      >
        {event.about && (
          <EventDetails event={rows.find((row) => row.id === event.about?.id) ?? event.about} />
        )}
      </Drawer>
    </>
  );
};

const useColumns = (): DataColumn<AlertEvent>[] => {
  const t = useTranslations('alerts');
  const inUnit = useInUnit();
  return useMemo(
    () => [
      {
        id: 'rule',
        header: t('column.rule'),
        width: 220,
        pinned: true,
        cell: ({ name }) => <HostileText max={100}>{name}</HostileText>,
        value: ({ name }) => name,
      },
      {
        id: 'severity',
        header: t('column.severity'),
        width: 110,
        cell: ({ severity }) => <SeverityBadge severity={severity} />,
        value: ({ severity }) => severity,
      },
      {
        id: 'series',
        header: t('column.series'),
        width: 200,
        cell: ({ labels }) => <LabelsText labels={labels} />,
        value: ({ labels }) => labelsText(labels),
      },
      timeColumn({ id: 'firedAt', header: t('column.fired'), width: 120, of: ({ firedAt }) => firedAt }),
      {
        id: 'resolvedAt',
        header: t('column.resolved'),
        width: 120,
        cell: ({ resolvedAt }) =>
          resolvedAt === null ? <StateBadge state="firing" /> : <RelativeTime at={resolvedAt} />,
        value: ({ resolvedAt }) => resolvedAt,
      },
      {
        id: 'value',
        header: t('column.value'),
        width: 110,
        align: 'right',
        cell: ({ value, unit }) => inUnit(value, unit),
        value: ({ value }) => value,
      },
      {
        id: 'deliveries',
        header: t('column.deliveries'),
        width: 190,
        cell: (event) => <DeliverySummary event={event} />,
        value: ({ deliveries }) => deliveries.map(({ state }) => state).join(' '),
      },
      textColumn({
        id: 'metric',
        header: t('column.metric'),
        hiddenAtFirst: true,
        of: ({ metric }) => metric,
      }),
    ],
    [t, inUnit],
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

const EventDetails = ({ event }: { event: AlertEvent }) => {
  const t = useTranslations('alerts');
  const inUnit = useInUnit();
  return (
    <Stack gap="md">
      <Facts
        facts={[
          { label: t('column.metric'), value: <KeyText max={200}>{event.metric}</KeyText> },
          { label: t('column.series'), value: <LabelsText labels={event.labels} /> },
          { label: t('column.fired'), value: <AbsoluteTime at={event.firedAt} /> },
          { label: t('column.value'), value: inUnit(event.value, event.unit) },
          { label: t('column.resolved'), value: <AbsoluteTime at={event.resolvedAt} /> },
          event.endedBy && { label: t('history.endedBy'), value: t(`endedBy.${event.endedBy}`) },
        ]}
      />
      {event.silenced && <Text size="sm">{t('history.silenced')}</Text>}
      {event.deliveries.length > 0 && <Deliveries deliveries={event.deliveries} />}
    </Stack>
  );
};

const Deliveries = ({ deliveries }: { deliveries: readonly AlertDelivery[] }) => {
  const t = useTranslations('alerts');
  return (
    <Table aria-label={t('column.deliveries')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('column.channel')}</Table.Th>
          <Table.Th>{t('column.state')}</Table.Th>
          <Table.Th>{t('column.attempts')}</Table.Th>
          <Table.Th>{t('column.last')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((each) => (
          <Table.Tr key={`${each.channel} ${each.event}`}>
            <Table.Td>
              <HostileText max={60}>{each.channel}</HostileText>
              <Text size="xs" c="dimmed">
                {t(`event.${each.event}`)}
              </Text>
            </Table.Td>
            <Table.Td>
              <Badge color={DELIVERY_COLORS[each.state]}>{t(`deliveryState.${each.state}`)}</Badge>
              {each.error && <Text size="xs">{each.error}</Text>}
            </Table.Td>
            <Table.Td>{each.attempts}</Table.Td>
            <Table.Td>
              <RelativeTime at={each.at} />
              {each.nextAt && each.attempts > 0 && (
                <Text size="xs" c="dimmed" component="div">
                  {t.rich('history.next', { when: () => <RelativeTime at={each.nextAt} /> })}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};

'use client';

import { Badge, Stack, Table, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { HostileText } from '@/components/patterns/hostile-text';
import { AbsoluteTime, RelativeTime } from '@/components/patterns/relative-time';
import type { AlertDelivery, AlertEvent } from '@/lib/alerts/schema';
import { DELIVERY_COLORS, InUnit, LabelsText, MetricName } from './words';

/** An alert of the history, with its deliveries. */
export const EventDrawer = ({ row, current, opened, onClose, onClosed }: RowDrawerProps<AlertEvent>) => {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      width="editor"
      title={<HostileText max={100}>{row?.name}</HostileText>}
    >
      {row && <EventDetails event={current ?? row} />}
    </Drawer>
  );
};

const EventDetails = ({ event }: { event: AlertEvent }) => {
  const t = useTranslations('alerts');
  const tWord = useTranslations('words');
  return (
    <Stack gap="md">
      <Facts
        facts={[
          { label: t('column.metric'), value: <MetricName metric={event.metric} /> },
          { label: tWord('series'), value: <LabelsText labels={event.labels} /> },
          { label: t('column.fired'), value: <AbsoluteTime at={event.firedAt} /> },
          { label: tWord('value'), value: <InUnit value={event.value} unit={event.unit} /> },
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
  const tWord = useTranslations('words');
  return (
    <Table aria-label={t('column.deliveries')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{tWord('channel')}</Table.Th>
          <Table.Th>{tWord('state')}</Table.Th>
          <Table.Th>{t('column.attempts')}</Table.Th>
          <Table.Th>{t('column.last')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((each) => (
          <Table.Tr key={`${each.channel} ${each.event}`}>
            <Table.Td>
              <HostileText max={60}>{each.channel}</HostileText>
              <Dimmed size="xs">{t(`event.${each.event}`)}</Dimmed>
            </Table.Td>
            <Table.Td>
              <Badge color={DELIVERY_COLORS[each.state]}>{t(`deliveryState.${each.state}`)}</Badge>
              {each.error && <Text size="xs">{each.error}</Text>}
            </Table.Td>
            <Table.Td>{each.attempts}</Table.Td>
            <Table.Td>
              <RelativeTime at={each.at} />
              {each.nextAt && each.attempts > 0 && (
                <Dimmed size="xs" component="div">
                  {t.rich('history.next', { when: () => <RelativeTime at={each.nextAt} /> })}
                </Dimmed>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};

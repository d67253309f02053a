'use client';

import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import touch from '@/components/patterns/touch.module.css';
import { useFormat } from '@/components/patterns/use-format';
import { useMay } from '@/components/patterns/viewer';
import type { ServerClient } from '@/lib/server/clients/schema';
import { ClientName, mayBeKilled } from './parts';

type ClientDrawerProps = RowDrawerProps<ServerClient>;

/** Everything the server says of a client. */
export const ClientDrawer = ({ row, current, opened, onClose, onAction }: ClientDrawerProps) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const format = useFormat();
  const mayKill = useMay('keys:write');
  const isConnected = current !== undefined;
  const client = current ?? row;
  if (!client) return null;
  const { library, libraryVersion } = client;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      width="detail"
      title={t('clients.title', { address: client.address })}
      closeButtonProps={{ 'aria-label': t('closeDetails') }}
    >
      <Stack gap="md">
        {!isConnected && <Alert color="gray">{t('clients.gone')}</Alert>}
        <Facts
          facts={[
            { label: tWord('name'), value: <ClientName client={client} /> },
            { label: tWord('address'), value: <KeyText>{client.address}</KeyText> },
            { label: t('column.localAddress'), value: <KeyText>{client.localAddress}</KeyText> },
            { label: tWord('user'), value: <HostileText>{client.user}</HostileText> },
            { label: t('clients.column.command'), value: <KeyText>{client.command}</KeyText> },
            { label: tWord('kind'), value: t(`kind.${client.kind}`) },
            { label: tWord('age'), value: format.duration(client.ageSeconds) },
            { label: tWord('idle'), value: format.duration(client.idleSeconds) },
            { label: tWord('memory'), value: format.bytes(client.memoryBytes) },
            { label: t('column.output'), value: format.bytes(client.outputBytes) },
            { label: t('column.db'), value: format.number(client.db, 0) },
            { label: t('column.subscriptions'), value: format.count(client.subscriptions) },
            client.queued === null ? null : { label: t('column.queued'), value: format.count(client.queued) },
            {
              label: t('column.library'),
              value: (
                <HostileText>{library && [library, libraryVersion].filter(Boolean).join(' ')}</HostileText>
              ),
            },
            { label: t('column.flags'), value: <KeyText>{client.flags}</KeyText> },
            { label: tWord('id'), value: <code>{client.id}</code> },
          ]}
        />
        {mayKill && isConnected && !mayBeKilled(client) && (
          <Dimmed>{t(client.own ? 'kill.isOwn' : 'kill.isReplication')}</Dimmed>
        )}
        {mayKill && isConnected && mayBeKilled(client) && (
          <Group justify="flex-end">
            <Button
              color="red"
              variant="light"
              className={touch.thumb ?? ''}
              leftSection={<IconPlugConnectedX size={16} aria-hidden />}
              onClick={() => onAction?.('kill')}
            >
              {t('kill.verb')}
            </Button>
          </Group>
        )}
      </Stack>
    </Drawer>
  );
};

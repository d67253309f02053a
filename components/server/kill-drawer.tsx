'use client';

import { Alert, Code, Stack, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { AS_TYPED } from '@/components/patterns/as-typed';
import { Facts } from '@/components/patterns/facts';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { Strong } from '@/components/patterns/strong';
import { useCommand } from '@/components/patterns/use-command';
import type { ServerClient } from '@/lib/server/clients/schema';
import { clientContracts } from '@/lib/server/clients/schema';
import { ClientName } from './parts';

/** Ends the connection of a client as it was chosen, by id and address, after its address was typed. */
export const KillDrawer = ({ row: client, ...drawer }: RowDrawerProps<ServerClient>) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const change = useCommand(clientContracts.kill);
  const [typed, setTyped] = useState('');
  const address = client?.address ?? '';
  return (
    <FormDrawer
      {...drawer}
      title={t('kill.title', { key: address })}
      verb={t('kill.verb')}
      destructive
      needsConfirmation
      blocked={typed.trim() !== address}
      change={change}
      input={(words) => ({ id: client?.id ?? '', address: typed.trim(), ...words })}
      done={() => t('kill.done', { address })}
      staysValid={t('kill.stays')}
      stays="asItIs"
    >
      {client && (
        <Stack gap="sm">
          <Facts
            facts={[
              { label: tWord('name'), value: <ClientName client={client} /> },
              { label: tWord('address'), value: <KeyText>{address}</KeyText> },
              { label: tWord('user'), value: <HostileText>{client.user}</HostileText> },
              { label: t('clients.column.command'), value: <KeyText>{client.command}</KeyText> },
            ]}
          />
          {client.saysKeyward && <Alert color="orange">{t('kill.saysKeyward')}</Alert>}
          <Ends client={client} />
          <Text size="sm">{t('kill.reconnects')}</Text>
          <Strong>{t('kill.final')}</Strong>
          <TextInput
            label={t.rich('kill.type', { address, code: (text) => <Code>{text}</Code> })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            {...AS_TYPED}
          />
        </Stack>
      )}
    </FormDrawer>
  );
};

/** What ends with the connection. */
const Ends = ({ client: { kind, command, subscriptions, queued } }: { client: ServerClient }) => {
  const t = useTranslations('server');
  const ends = [
    kind === 'blocked' && t('kill.blocked', { command: command ?? '—' }),
    kind === 'monitor' && t('kill.monitor'),
    subscriptions > 0 && t('kill.subscriptions', { count: subscriptions }),
    queued !== null && t('kill.transaction', { count: queued }),
  ].filter((each) => each !== false);
  return <Text size="sm">{ends.length > 0 ? ends.join(' ') : t('kill.normal')}</Text>;
};

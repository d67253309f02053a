'use client';

import { Alert, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { useFormat } from '@/components/patterns/use-format';
import type { AlertChannel } from '@/lib/alerts/channels/schema';
import { alertChannelContracts } from '@/lib/alerts/channels/schema';
import type { Result } from '@/lib/contract';

/** Sends a test message and stays open with what happened. */
export const TestDrawer = ({ row: channel, ...drawer }: RowDrawerProps<AlertChannel>) => {
  const t = useTranslations('alerts.test');
  const format = useFormat();
  const test = useCommand(alertChannelContracts.test);
  const [result, setResult] = useState<Result<typeof alertChannelContracts.test> | null>(null);
  return (
    <ChangeDrawer
      {...drawer}
      onReadOnly
      withReason={false}
      title={t('title', { name: channel?.name ?? '' })}
      verb={t('verb')}
      pending={test.isPending}
      error={test.error}
      onSubmit={() => {
        setResult(null);
        test.mutate({ id: channel?.id ?? '' }, { onSuccess: setResult });
      }}
    >
      <Stack gap="md">
        <span>{t('consequence')}</span>
        <div aria-live="polite">
          {result && (
            <Alert color={result.state === 'delivered' ? 'green' : 'red'} title={t(result.state)}>
              {result.error ??
                (result.status === null ? t('accepted') : t('status', { status: result.status }))}{' '}
              {t('took', { time: format.ms(result.ms) })}
            </Alert>
          )}
        </div>
      </Stack>
    </ChangeDrawer>
  );
};

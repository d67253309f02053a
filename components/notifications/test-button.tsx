'use client';

import { Alert, Button, Stack } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useCommand } from '@/components/patterns/use-command';
import { useFormat } from '@/components/patterns/use-format';
import { notificationContracts } from '@/lib/notifications/schema';
import { refsOf } from './notification-form';

interface TestButtonProps {
  name: string;
  channels: readonly string[];
}

/** Sends a test message to the chosen channels, before or after the notification is saved, and shows what happened. */
export const TestButton = ({ name, channels }: TestButtonProps) => {
  const t = useTranslations('notifications.test');
  const format = useFormat();
  const test = useCommand(notificationContracts.test);
  const isReady = name !== '' && channels.length > 0;
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        leftSection={<IconSend size={16} aria-hidden />}
        disabled={!isReady}
        loading={test.isPending}
        onClick={() => test.mutate({ name, channels: refsOf(channels) })}
      >
        {t('verb')}
      </Button>
      {test.error && <ProblemAlert error={test.error} />}
      <Stack gap="xs" aria-live="polite">
        {test.data?.results.map(({ connection, channel, name: to, state, ms, error }) => (
          <Alert key={`${connection}/${channel}`} color={state === 'delivered' ? 'green' : 'red'}>
            {state === 'delivered'
              ? t('delivered', { name: to, time: format.ms(ms) })
              : t('failed', { name: to, error: error ?? '' })}
          </Alert>
        ))}
      </Stack>
    </Stack>
  );
};

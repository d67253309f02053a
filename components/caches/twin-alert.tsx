'use client';

import { Alert, Button, Group, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { twinOf } from './problems';

/** Another job is at these keys: leads to it. */
export const TwinAlert = ({ error, onJob }: { error: unknown; onJob: (jobId: string) => void }) => {
  const t = useTranslations('caches');
  const twin = twinOf(error);
  if (twin === null) return null;
  return (
    <Alert color="indigo">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{t('twin')}</Text>
        <Button size="xs" variant="default" onClick={() => onJob(twin)}>
          {t('watch')}
        </Button>
      </Group>
    </Alert>
  );
};

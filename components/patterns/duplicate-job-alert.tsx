'use client';

import { Alert, Button, Group, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { duplicateJobOf } from './target-problems';

/** Another job is changing these keys: links to that job. */
export const DuplicateJobAlert = ({ error, onJob }: { error: unknown; onJob: (jobId: string) => void }) => {
  const t = useTranslations('families');
  const tWord = useTranslations('words');
  const jobId = duplicateJobOf(error);
  if (jobId === null) return null;
  return (
    <Alert color="gray">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{t('duplicate')}</Text>
        <Button size="xs" variant="default" onClick={() => onJob(jobId)}>
          {tWord('viewJob')}
        </Button>
      </Group>
    </Alert>
  );
};

'use client';

import { Alert, Button, Group, Switch, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { Job } from '@/lib/jobs/schema';
import { ProblemAlert } from './problem-alert';
import { useSetPace } from './use-job';

/** Whether a job runs faster than the budget allows by default. Faster is confirmed, because it costs others. */
export const JobPace = ({ job }: { job: Job }) => {
  const t = useTranslations('jobs.pace');
  const [asking, setAsking] = useState(false);
  const setPace = useSetPace(job.jobId);
  const choose = (pace: Job['pace']) => setPace.mutate(pace, { onSuccess: () => setAsking(false) });
  if (asking)
    return (
      <Alert color="orange" title={t('title')}>
        <Text size="sm">{t('consequence')}</Text>
        <ProblemAlert error={setPace.error} />
        <Group gap="xs" mt="xs">
          <Button size="xs" loading={setPace.isPending} onClick={() => choose('faster')} data-autofocus>
            {t('verb')}
          </Button>
          <Button size="xs" variant="default" onClick={() => setAsking(false)}>
            {t('keep')}
          </Button>
        </Group>
      </Alert>
    );
  return (
    <>
      <Switch
        label={t('label')}
        description={t('consequence')}
        checked={job.pace === 'faster'}
        disabled={setPace.isPending}
        onChange={({ currentTarget }) => (currentTarget.checked ? setAsking(true) : choose('default'))}
      />
      <ProblemAlert error={setPace.error} />
    </>
  );
};

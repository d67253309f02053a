'use client';

import { Alert, Button, Group, Switch, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useRef, useState } from 'react';
import { type Job, jobContracts } from '@/lib/jobs/schema';
import { ProblemAlert } from './problem-alert';
import touch from './touch.module.css';
import { useCommand } from './use-command';

/** Whether a job runs faster than the default budget. Faster needs a confirmation, because it affects other clients. */
export const JobPace = ({ job }: { job: Job }) => {
  const t = useTranslations('jobs.pace');
  const [asking, setAsking] = useState(false);
  const setPace = useCommand(jobContracts.setPace);
  // After the question the switch is a new element, and must get the focus back.
  const wasAsked = useRef(false);
  const ask = (next: boolean) => {
    wasAsked.current = true;
    setAsking(next);
  };
  const choose = (pace: Job['pace']) =>
    setPace.mutate({ jobId: job.jobId, pace }, { onSuccess: () => setAsking(false) });
  if (asking)
    return (
      <Alert role="group" color="orange" title={t('title')}>
        <Text size="sm">{t('consequence')}</Text>
        <ProblemAlert error={setPace.error} />
        <Group gap="xs" mt="xs">
          <Button
            size="xs"
            className={touch.thumb}
            loading={setPace.isPending}
            onClick={() => choose('faster')}
            autoFocus
          >
            {t('label')}
          </Button>
          <Button size="xs" className={touch.thumb} variant="default" onClick={() => ask(false)}>
            {t('keep')}
          </Button>
        </Group>
      </Alert>
    );
  return (
    <>
      <Switch
        autoFocus={wasAsked.current}
        label={t('label')}
        description={t('consequence')}
        checked={job.pace === 'faster'}
        disabled={setPace.isPending}
        onChange={({ currentTarget }) => (currentTarget.checked ? ask(true) : choose('default'))}
      />
      <ProblemAlert error={setPace.error} />
    </>
  );
};

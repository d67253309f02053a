'use client';

import { Alert, Button, Group, Switch, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useRef, useState } from 'react';
import { type Job, jobContracts } from '@/lib/jobs/schema';
import classes from './job-pace.module.css';
import { ProblemAlert } from './problem-alert';
import { useCommand } from './use-command';

/** Whether a job runs faster than the budget allows by default. Faster is confirmed, because it costs others. */
export const JobPace = ({ job }: { job: Job }) => {
  const t = useTranslations('jobs.pace');
  const [asking, setAsking] = useState(false);
  const setPace = useCommand(jobContracts.setPace);
  // The switch is another element after the question, and gets the focus back.
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
            className={classes.thumb}
            loading={setPace.isPending}
            onClick={() => choose('faster')}
            autoFocus
          >
            {t('verb')}
          </Button>
          <Button size="xs" className={classes.thumb} variant="default" onClick={() => ask(false)}>
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

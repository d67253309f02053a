'use client';

import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { type Job, jobContracts } from '@/lib/jobs/schema';
import { Dimmed } from './dimmed';
import { JobFencing } from './job-fencing';
import { JobPace } from './job-pace';
import { JobStateBadge } from './job-state';
import { ProblemAlert } from './problem-alert';
import { ServerSentence } from './server-sentence';
import { Strong } from './strong';
import { useCommand } from './use-command';
import { useFormat } from './use-format';
import { isFinished } from './use-job';

type Counted = Pick<Job, 'state' | 'done' | 'total' | 'unit' | 'progress'>;

/** "1,200 of 50,000 keys"; only the first number when the total is unknown or an estimate; or a share of a walk. */
export const useJobFigures = () => {
  const t = useTranslations('jobs');
  const format = useFormat();
  return ({ state, done, total, unit = 'keys', progress }: Counted): string => {
    if (unit === 'share') return format.ratio(progress);
    const isPart = total !== null && (state !== 'done' || done === total);
    const counted = t(`unit.${unit}`, { count: isPart ? total : done });
    return isPart
      ? t('doneOf', { done: format.count(done), total: format.count(total), unit: counted })
      : t('done', { done: format.count(done), unit: counted });
  };
};

/** Per second; null where the progress has no countable unit. */
export const jobRate = ({ unit, ratePerSecond }: Job): number | null =>
  unit === 'share' || unit === 'seconds' ? null : ratePerSecond;

const secondsLeft = (job: Job): number | null =>
  job.total === null || !job.ratePerSecond ? null : Math.max(0, (job.total - job.done) / job.ratePerSecond);

/** A job's progress, rate and time left, with a button to cancel it. */
export const JobProgress = ({ job }: { job: Job }) => {
  const t = useTranslations('jobs');
  const format = useFormat();
  const figures = useJobFigures();
  const over = isFinished(job);
  const left = over ? null : secondsLeft(job);
  const rate = jobRate(job);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <span aria-live="polite">
          <JobStateBadge job={job} />
        </span>
        <Strong data-testid="job-figures">{figures(job)}</Strong>
      </Group>
      <Progress
        // With an unknown total the bar is full and only animated.
        value={job.state === 'running' && job.total === null ? 100 : job.progress * 100}
        aria-label={t('progress')}
        color={job.state === 'failed' || job.state === 'interrupted' ? 'orange' : undefined}
        animated={job.state === 'running'}
        size="md"
      />
      {job.startedAt && (
        <Dimmed size="xs">
          {[
            rate !== null && t('rate', { rate: format.perSecond(rate) }),
            left !== null && t('left', { time: format.duration(left) }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </Dimmed>
      )}
      <Ending job={job} />
      {job.fencing && (over || job.fencing.failovers > 0) && <JobFencing fencing={job.fencing} />}
      {!over && job.mayCancel && job.isPaced && <JobPace job={job} />}
      {!over && job.mayCancel && <CancelJob job={job} />}
    </Stack>
  );
};

/** Why a job did not complete. */
const Ending = ({ job }: { job: Job }) => {
  const t = useTranslations('jobs');
  const figures = useJobFigures();
  const format = useFormat();
  if (job.state === 'failed')
    return (
      <Alert color="red" title={t('state.failed')}>
        <ServerSentence max={500}>{job.error ?? ''}</ServerSentence>
      </Alert>
    );
  if (job.state === 'interrupted')
    return (
      <Alert color="orange" title={t('state.interrupted')}>
        {t('interrupted', { figures: figures(job) })}{' '}
        {job.pending > 0 && t('underWay', { count: job.pending, shown: format.count(job.pending) })}
      </Alert>
    );
  if (job.state === 'cancelled') return <Text size="sm">{t('cancelledAt', { figures: figures(job) })}</Text>;
  return null;
};

const CancelJob = ({ job }: { job: Job }) => {
  const t = useTranslations('jobs.cancel');
  const [asking, setAsking] = useState(false);
  // What it has done so far is not undone.
  const cancel = useCommand(jobContracts.cancel);
  const asked = job.cancelling || cancel.isPending;
  if (!asking || asked)
    return (
      <Group>
        <Button variant="default" size="xs" loading={asked} onClick={() => setAsking(true)}>
          {t('ask')}
        </Button>
      </Group>
    );
  return (
    <Alert color="orange" title={t('title')}>
      <Text size="sm">{t('consequence')}</Text>
      <ProblemAlert error={cancel.error} />
      <Group gap="xs" mt="xs">
        <Button size="xs" color="red" onClick={() => cancel.mutate({ jobId: job.jobId })} data-autofocus>
          {t('verb')}
        </Button>
        <Button size="xs" variant="default" onClick={() => setAsking(false)}>
          {t('keep')}
        </Button>
      </Group>
    </Alert>
  );
};

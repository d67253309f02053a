'use client';

import { Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { IconDownload, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { ExportMenu } from '@/components/patterns/export-menu';
import { JobProgress } from '@/components/patterns/job-progress';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { QueryProblem } from '@/components/patterns/query-problem';
import { RelativeTime } from '@/components/patterns/relative-time';
import { isFinished, useJob } from '@/components/patterns/use-job';
import { useUrlState } from '@/components/patterns/use-url-state';
import { withFields } from '@/components/patterns/with-fields';
import { urlOf } from '@/lib/api-client';
import type { Job } from '@/lib/jobs/schema';
import { type Profile, profilerContracts } from '@/lib/profiler/schema';
import { CostFacts, Obstacle } from './cost-facts';
import { ProfileResult } from './profile-result';
import { profilerQueries } from './queries';
import { RunsTable } from './runs-table';

const StartDrawer = onDemand(async () => (await import('./start-drawer')).StartDrawer);

const FIELDS = { job: '', tab: '', q: '' };
const STEPS = { opens: ['job'], tabs: ['tab'] } as const;

/** The profile of a job; null before it ends, and for one that saw nothing. */
const profileOf = (job: Job | undefined): Profile | null =>
  withFields<Profile>(job?.result, 'calls', 'points', 'clients', 'users', 'sample', 'notShown');

/** Who sends which commands at this moment, by reading MONITOR within a stated cost. */
export const ProfilerPage = () => {
  const t = useTranslations('profiler');
  const { id } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const [opened, setOpened] = useState(false);
  const estimate = useQuery(profilerQueries.estimate(id));
  const runs = useQuery(profilerQueries.runs(id));
  const open = useCallback((job: string) => setUrl({ job, tab: '', q: '' }), [setUrl]);
  const actions = (
    <Button
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      disabled={!estimate.data || estimate.data.running || estimate.data.monitor.allowed === false}
      onClick={() => setOpened(true)}
    >
      {t('start.title')}
    </Button>
  );
  return (
    <Stack gap="md">
      <PageHeader title={t('title')} sentence={t('sentence')} actions={actions} />
      {estimate.error && <QueryProblem of={estimate} />}
      <Panel title={t('cost.title')} note={t('cost.note')}>
        <Stack gap="sm">
          <CostFacts estimate={estimate.data} />
          {estimate.data && <Obstacle estimate={estimate.data} />}
        </Stack>
      </Panel>
      {url.job !== '' && (
        <OneProfile key={url.job} jobId={url.job} tab={url.tab} q={url.q} onChange={setUrl} />
      )}
      {runs.error && <QueryProblem of={runs} />}
      <Panel title={t('runs.title')} flush>
        <RunsTable runs={runs.data?.items ?? []} loading={runs.isPending} onOpen={open} />
      </Panel>
      {estimate.data && (
        <StartDrawer
          estimate={estimate.data}
          opened={opened}
          onClose={() => setOpened(false)}
          onJob={(job) => {
            setOpened(false);
            open(job);
          }}
        />
      )}
    </Stack>
  );
};

interface OneProfileProps {
  jobId: string;
  tab: string;
  q: string;
  onChange: (change: { tab?: string; q?: string }) => void;
}

/** The progress of a profile, then what it saw. A cancelled one has what it saw until then. */
const OneProfile = ({ jobId, ...view }: OneProfileProps) => {
  const tWord = useTranslations('words');
  const { data: job, error, refetch } = useJob(jobId);
  const profile = profileOf(job);
  if (!job)
    return error ? <ProblemAlert error={error} onRetry={() => void refetch()} /> : <Skeleton height={120} />;
  return (
    <>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {(!isFinished(job) || job.state !== 'done') && (
        <Panel>
          <JobProgress job={job} />
        </Panel>
      )}
      {profile && (
        <>
          <Group justify="space-between">
            <Title order={2}>
              {tWord('profile')} <RelativeTime at={profile.startedAt} />
            </Title>
            <Export jobId={jobId} />
          </Group>
          <ProfileResult profile={profile} {...view} />
        </>
      )}
    </>
  );
};

/** Downloads a profile; the server writes the file. */
const Export = ({ jobId }: { jobId: string }) => {
  const t = useTranslations('profiler.export');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  return (
    <ExportMenu
      leftSection={<IconDownload size={16} aria-hidden />}
      title={tWord('export')}
      what={t('what')}
      hrefOf={(format) => urlOf(profilerContracts.export, { jobId, format }, id)}
    />
  );
};

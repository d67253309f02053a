'use client';

import { Alert, Stack, Text } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { HostileText } from '@/components/patterns/hostile-text';
import { JobProgress } from '@/components/patterns/job-progress';
import { Panel } from '@/components/patterns/panel';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Unanswered } from '@/components/patterns/unanswered';
import { isFinished, useJob } from '@/components/patterns/use-job';
import { withFields } from '@/components/patterns/with-fields';
import type { CheckResult, EntityKindRow } from '@/lib/entities/schema';
import type { EntityFields, SetEntityFields } from './address';
import { CheckForm } from './check-form';
import { CheckResultView } from './check-result';
import { PastChecks } from './past-checks';
import { entityQueries } from './queries';

interface CheckTabProps {
  /** Undefined while loading. */
  kinds: readonly EntityKindRow[] | undefined;
  url: EntityFields;
  setUrl: SetEntityFields;
}

/** Starts a check of a kind or a family, and shows the one that the address names. */
export const CheckTab = ({ kinds = [], url, setUrl }: CheckTabProps) => {
  const t = useTranslations('entities.check');
  const { id: connection } = useConnection();
  // The job that was running already when this user asked for the same check.
  const [joined, setJoined] = useState<string | null>(null);
  const past = useQuery(entityQueries.checks(connection));
  return (
    <Stack gap="md">
      <CheckForm
        kinds={kinds}
        kind={url.kind}
        onKind={(kind) => setUrl({ kind })}
        onJob={(job, wasRunning) => {
          setJoined(wasRunning ? job : null);
          setUrl({ job });
        }}
      />
      {joined !== null && joined === url.job && (
        <Alert color="gray" role="status">
          {t('joined')}
        </Alert>
      )}
      {url.job !== '' ? (
        <OneCheck key={url.job} jobId={url.job} kinds={kinds} />
      ) : (
        <EmptyState icon={<IconChecklist size={20} />} title={t('start')}>
          {t('startText')}
        </EmptyState>
      )}
      <PastChecks query={past} current={url.job} />
    </Stack>
  );
};

const OneCheck = ({ jobId, kinds }: { jobId: string; kinds: readonly EntityKindRow[] }) => {
  const t = useTranslations('entities.check');
  const query = useJob(jobId);
  const job = query.data;
  const result = withFields<CheckResult>(job?.result, 'checked', 'references', 'families');
  if (!job) return <Unanswered query={query} height={180} />;
  return (
    <>
      <Panel
        title={t('of')}
        note={
          <>
            <HostileText max={120}>{job.target}</HostileText> ·{' '}
            <HostileText max={60}>{job.actor}</HostileText> ·{' '}
            <RelativeTime at={job.finishedAt ?? job.startedAt ?? job.createdAt} />
          </>
        }
      >
        <JobProgress job={job} />
        {isFinished(job) && !result && (
          <Text size="sm" mt="xs">
            {t('noResult')}
          </Text>
        )}
      </Panel>
      {result && <CheckResultView result={result} kinds={kinds} running={!isFinished(job)} />}
    </>
  );
};

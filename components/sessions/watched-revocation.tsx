'use client';

import { CloseButton, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { HostileText } from '@/components/patterns/hostile-text';
import { JobProgress } from '@/components/patterns/job-progress';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useJob } from '@/components/patterns/use-job';
import { withFields } from '@/components/patterns/with-fields';
import type { Job } from '@/lib/jobs/schema';
import type { Revocation } from '@/lib/sessions/revocation/schema';
import { ProofPanel } from './proof-panel';
import type { Names, Proof } from './use-revocation';

interface WatchedRevocationProps {
  jobId: string;
  names: Names;
  onClose: () => void;
}

const proofOf = (job: Job | undefined, names: Names): Proof | null => {
  const found = withFields<Revocation>(job?.result, 'users', 'alsoRevoked', 'stillValid');
  // Jobs of earlier versions do not count what they could not read.
  return job && found
    ? {
        result: {
          ...found,
          unverified: found.unverified ?? 0,
          unread: found.unread ?? 0,
          auditId: job.auditId,
        },
        names,
      }
    : null;
};

/** A revocation that runs as a job: its progress, then its proof. */
export const WatchedRevocation = ({ jobId, names, onClose }: WatchedRevocationProps) => {
  const t = useTranslations('sessions.proof');
  const words = useTranslations('patterns.proof');
  const { data: job, error, refetch } = useJob(jobId);
  const proof = proofOf(job, names);
  if (proof) return <ProofPanel proof={proof} onClose={onClose} />;
  return (
    <div style={{ marginBottom: 'var(--mantine-spacing-md)' }}>
      <Panel>
        <Group justify="space-between" align="flex-start" wrap="nowrap" mb="xs">
          <div>
            <Title order={2}>{t('queued')}</Title>
            <Text size="sm" c="dimmed">
              {job?.target ? <HostileText max={200}>{job.target}</HostileText> : null} {t('queuedText')}
            </Text>
          </div>
          <CloseButton aria-label={words('close')} onClick={onClose} />
        </Group>
        <Stack gap="sm">
          <ProblemAlert error={error} onRetry={() => void refetch()} />
          {job ? <JobProgress job={job} /> : !error && <Skeleton height={56} />}
        </Stack>
      </Panel>
    </div>
  );
};

'use client';

import { CloseButton, Group, Skeleton, Stack, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { JobProgress } from '@/components/patterns/job-progress';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { ProofAlert } from '@/components/patterns/proof-alert';
import { useJob } from '@/components/patterns/use-job';
import { withFields } from '@/components/patterns/with-fields';
import type { Job } from '@/lib/jobs/schema';
import type { Revocation } from '@/lib/sessions/revocation/schema';
import { visibleText } from '@/lib/visible-text';
import { WhatStaysValid } from './still-valid';
import type { Names, Proof } from './use-revocation';

interface ProofPanelProps {
  proof: Proof;
  onClose: () => void;
}

/** The title after a verified revocation counts what its users still have. */
const titleOf = ({ unverified, remaining, revoked, stillValidComplete }: Proof['result'], left: number) => {
  if (unverified > 0) return 'titleUnverified';
  if (remaining > 0) return 'titleRemaining';
  if (left > 0) return 'titleLeft';
  return stillValidComplete || revoked === 0 ? 'title' : 'titleRevoked';
};

/** The server's check after a revocation: how many ended, how many remain, and what is still valid. */
export const ProofPanel = ({ proof, onClose }: ProofPanelProps) => {
  const t = useTranslations('sessions.proof');
  const { result, names } = proof;
  const { revoked, remaining, unverified, stillValid } = result;
  const others = stillValid.filter(({ kind }) => kind === 'session' || kind === 'legacySession');
  const left = others.reduce((sum, { count }) => sum + count, 0);
  const [owner, ...more] = new Set(others.map(({ userId }) => userId));
  const title = titleOf(result, left);
  const who = owner === undefined ? '' : visibleText(names.get(owner) ?? `#${owner}`, 40);
  return (
    <ProofAlert
      title={t(title, { count: revoked, remaining, unverified, left, who, more: more.length })}
      proof={result}
      more={[
        { label: t('users'), value: result.users },
        { label: t('oauth'), value: result.alsoRevoked.oauth },
        { label: t('verification'), value: result.alsoRevoked.verification },
      ]}
      auditId={result.auditId}
      onClose={onClose}
    >
      <strong>{t('stillValid')}</strong>{' '}
      {stillValid.length > 0 ? <WhatStaysValid entries={stillValid} names={names} /> : t('nothing')}
      {result.stillValidCut && <div>{t('stillValidCut')}</div>}
      {!result.stillValidComplete && <div>{t('stillValidIncomplete')}</div>}
    </ProofAlert>
  );
};

interface WatchedRevocationProps {
  jobId: string;
  names: Names;
  onClose: () => void;
}

const proofOf = (job: Job | undefined, names: Names): Proof | null => {
  const found = withFields<Revocation>(job?.result, 'users', 'alsoRevoked', 'stillValid');
  if (!job || !found) return null;
  // Jobs of earlier versions do not count what they could not read.
  const { unverified = 0, unread = 0 } = found;
  return { result: { ...found, unverified, unread, auditId: job.auditId }, names };
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
            <Dimmed>
              {job?.target ? <HostileText max={200}>{job.target}</HostileText> : null} {t('queuedText')}
            </Dimmed>
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

'use client';

import { Group, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { analysisContracts } from '@/lib/analysis/schema';
import { catalogContracts } from '@/lib/catalog/schema';
import { conventionContracts } from '@/lib/conventions/schema';
import { entityContracts } from '@/lib/entities/schema';
import { familyContracts } from '@/lib/families/schema';
import type { Job } from '@/lib/jobs/schema';
import { profilerContracts } from '@/lib/profiler/schema';
import { useActionWords } from './action-words';
import { Drawer } from './drawer';
import { type Fact, Facts } from './facts';
import { HostileText } from './hostile-text';
import { JobProgress } from './job-progress';
import { useJobResult } from './job-result';
import { JobUndo } from './job-undo';
import { ProblemAlert } from './problem-alert';
import { RecoveryNote } from './recovery';
import { RelativeTime } from './relative-time';
import { TargetText } from './target-text';
import { TextLink } from './text-link';
import { Unanswered } from './unanswered';
import { isFinished, useJob } from './use-job';
import { useJobToast } from './use-job-toast';
import { useTook } from './use-took';
import { useMay } from './viewer';

interface JobDrawerProps {
  /** null: closed. From the URL, so a reload shows the same job. */
  jobId: string | null;
  onClose: () => void;
  /** Links in addition to the audit entry's, such as "All jobs". */
  links?: ReactNode;
  /** Shown below the facts, for results with more than counts. */
  details?: (job: Job) => ReactNode;
}

/** One job and its live progress, on any page. */
export const JobDrawer = ({ jobId, onClose, links, details }: JobDrawerProps) => {
  const t = useTranslations('jobs');
  return (
    <Drawer opened={jobId !== null} onClose={onClose} inAddress width="detail" title={t('drawerTitle')}>
      {jobId !== null && <OneJob key={jobId} jobId={jobId} links={links} details={details} />}
    </Drawer>
  );
};

interface OneJobProps {
  jobId: string;
  links: ReactNode;
  details: JobDrawerProps['details'];
}

const OneJob = ({ jobId, links, details }: OneJobProps) => {
  const t = useTranslations('jobs');
  const tWord = useTranslations('words');
  const mayAudit = useMay('audit:view');
  const query = useJob(jobId);
  const { data: job, error, refetch } = query;
  useJobToast(job);
  if (!job) return <Unanswered query={query} height={180} />;
  return (
    <Stack gap="md">
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      <JobProgress job={job} />
      {isFinished(job) && <JobUndo job={job} />}
      {isFinished(job) && job.action === familyContracts.invalidate.id && job.connection && (
        <RecoveryNote connection={job.connection} auditId={job.auditId} />
      )}
      <JobFacts job={job} />
      {details?.(job)}
      <Group gap="md">
        {job.action === catalogContracts.infer.id && job.connection && (
          <TextLink href={`/${job.connection}/catalog?tab=unclassified&job=${job.jobId}`}>
            {tWord('proposedFamilies')}
          </TextLink>
        )}
        {job.action === entityContracts.check.id && job.connection && (
          <TextLink href={`/${job.connection}/entities?tab=check&job=${job.jobId}`}>{t('check')}</TextLink>
        )}
        {job.action === analysisContracts.start.id && job.connection && (
          <TextLink href={`/${job.connection}/analysis`}>{tWord('analysis')}</TextLink>
        )}
        {job.action === profilerContracts.start.id && job.connection && (
          <TextLink href={`/${job.connection}/profiler?job=${job.jobId}`}>{tWord('profile')}</TextLink>
        )}
        {(job.action === conventionContracts.check.id || job.action === conventionContracts.fix.id) &&
          job.connection && <TextLink href={`/${job.connection}/conventions`}>{t('conventions')}</TextLink>}
        {mayAudit && <TextLink href={`/audit?entry=${job.auditId}`}>{tWord('auditEntry')}</TextLink>}
        {links}
      </Group>
    </Stack>
  );
};

const JobFacts = ({ job }: { job: Job }) => {
  const t = useTranslations('jobs');
  const tWord = useTranslations('words');
  const words = useActionWords();
  const took = useTook();
  const resultOf = useJobResult();
  const figures: Fact[] = resultOf(job).map(({ label, value }) => ({ label, value }));
  return (
    <Facts
      facts={[
        ...figures,
        { label: tWord('action'), value: words(job.action) },
        { label: tWord('target'), value: <TargetText max={200}>{job.target}</TargetText> },
        { label: tWord('connection'), value: job.connection ?? '—' },
        { label: t('column.actor'), value: <HostileText>{job.actor}</HostileText> },
        { label: tWord('started'), value: <RelativeTime at={job.startedAt ?? job.createdAt} /> },
        { label: t('column.took'), value: took(job) },
        { label: t('drawerTitle'), value: <code>{job.jobId}</code> },
      ]}
    />
  );
};

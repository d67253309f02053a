'use client';

import { Alert, Anchor, Group, Skeleton, Stack } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Drawer } from '@/components/patterns/drawer';
import { JobProgress } from '@/components/patterns/job-progress';
import { Link } from '@/components/patterns/link';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useJob } from '@/components/patterns/use-job';
import { RepairOutcome, repairResultOf } from './repair-counts';

interface RepairJobProps {
  /** null: closed. */
  jobId: string | null;
  onClose: () => void;
}

/** Progress and result of a repair. */
export const RepairJob = ({ jobId, onClose }: RepairJobProps) => {
  const t = useTranslations('sessions.repair');
  return (
    <Drawer
      opened={jobId !== null}
      onClose={onClose}
      inAddress
      size={460}
      title={t('title')}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {jobId !== null && <OneRepair key={jobId} jobId={jobId} />}
    </Drawer>
  );
};

const OneRepair = ({ jobId }: { jobId: string }) => {
  const t = useTranslations('sessions.repair');
  const { data: job, error, refetch } = useJob(jobId);
  const result = repairResultOf(job);
  const remaining = result ? Object.values(result.after).reduce((sum, count) => sum + count, 0) : 0;
  return (
    <Stack gap="md">
      <ProblemAlert error={error} onRetry={() => void refetch()} />
      {job && <JobProgress job={job} />}
      {!job && !error && <Skeleton height={56} />}
      {result && (
        <>
          <Alert
            role="status"
            color={remaining === 0 ? 'green' : 'orange'}
            icon={remaining === 0 ? <IconCircleCheck size={18} /> : <IconAlertTriangle size={18} />}
            title={t(remaining === 0 ? 'clean' : 'remaining', { count: remaining })}
          >
            {t('checked')}
          </Alert>
          <RepairOutcome result={result} />
        </>
      )}
      <Group>
        <Anchor component={Link} size="sm" href={`/jobs?job=${jobId}`}>
          {t('inJobs')}
        </Anchor>
      </Group>
    </Stack>
  );
};

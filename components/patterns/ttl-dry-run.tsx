'use client';

import { Alert, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import type { TtlResult } from '@/lib/families/schema';
import { JobProgress } from './job-progress';
import { ProblemAlert } from './problem-alert';
import { useFormat } from './use-format';
import { useJob } from './use-job';
import { withFields } from './with-fields';

interface TtlDryRunProps {
  jobId: string;
  onCounted: (result: TtlResult) => void;
}

/** Progress of a dry run, then its counts. */
export const TtlDryRun = ({ jobId, onCounted }: TtlDryRunProps) => {
  const { data: job, error, refetch } = useJob(jobId);
  const result = withFields<TtlResult>(
    job?.state === 'done' && job.result,
    'matched',
    'added',
    'shortened',
    'shorter',
    'guarded',
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: reported once, when the result arrives
  useEffect(() => {
    if (result) onCounted(result);
  }, [result !== null]);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (result) return <Found result={result} />;
  return job ? <JobProgress job={job} /> : null;
};

const Found = ({ result }: { result: TtlResult }) => {
  const t = useTranslations('families.ttl');
  const format = useFormat();
  const textOf = (what: 'matched' | 'added' | 'shortened' | 'shorter' | 'guarded') =>
    t(`found.${what}`, { count: result[what], shown: format.count(result[what]) });
  return (
    <Alert color="gray" title={textOf('matched')} role="status" data-testid="dry-run">
      <Text size="sm" component="ul" m={0} ps="md">
        <li>{textOf('added')}</li>
        <li>{textOf('shortened')}</li>
        <li>{textOf('shorter')}</li>
        {result.guarded > 0 && <li>{textOf('guarded')}</li>}
      </Text>
    </Alert>
  );
};

'use client';

import { Alert, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { JobProgress } from '@/components/patterns/job-progress';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useFormat } from '@/components/patterns/use-format';
import { useJob } from '@/components/patterns/use-job';
import { type TtlResult, ttlResult } from '@/lib/caches/schema';

interface TtlTrialProps {
  jobId: string;
  onCounted: (result: TtlResult) => void;
}

/** A dry run as it goes, and what it found. */
export const TtlTrial = ({ jobId, onCounted }: TtlTrialProps) => {
  const { data: job, error, refetch } = useJob(jobId);
  const parsed = job?.state === 'done' ? ttlResult.safeParse(job.result) : null;
  const result = parsed?.success ? parsed.data : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once, when it is there
  useEffect(() => {
    if (result) onCounted(result);
  }, [result !== null]);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (result) return <Found result={result} />;
  return job ? <JobProgress job={job} /> : null;
};

const Found = ({ result }: { result: TtlResult }) => {
  const t = useTranslations('caches.ttl');
  const format = useFormat();
  const say = (what: 'matched' | 'added' | 'shortened' | 'shorter' | 'guarded') =>
    t(`found.${what}`, { count: result[what], shown: format.count(result[what]) });
  return (
    <Alert color="gray" title={say('matched')} role="status" data-testid="trial">
      <Text size="sm" component="ul" m={0} ps="md">
        <li>{say('added')}</li>
        <li>{say('shortened')}</li>
        <li>{say('shorter')}</li>
        {result.guarded > 0 && <li>{say('guarded')}</li>}
      </Text>
    </Alert>
  );
};

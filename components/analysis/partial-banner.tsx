'use client';

import { Alert, Button, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { ServerSentence } from '@/components/patterns/server-sentence';
import { duplicateJobOf, showingJob } from '@/components/patterns/target-problems';
import touch from '@/components/patterns/touch.module.css';
import { useCommand } from '@/components/patterns/use-command';
import { useFormat } from '@/components/patterns/use-format';
import { useMay } from '@/components/patterns/viewer';
import type { AnalysisReport } from '@/lib/analysis/schema';
import { analysisContracts } from '@/lib/analysis/schema';

interface PartialBannerProps {
  report: AnalysisReport;
  /** An analysis is running. */
  busy: boolean;
  onJob: (jobId: string) => void;
}

/** Why a report is not complete, or what could not be measured; a stopped one can go on. */
export const PartialBanner = ({ report, busy, onJob }: PartialBannerProps) => {
  const t = useTranslations('analysis.partial');
  const format = useFormat();
  const mayRun = useMay('analysis:run');
  const start = useCommand(analysisContracts.start);
  const { complete, reason, resumable, share } = report;
  if (complete && reason === null) return null;
  const resume = () => start.mutate({ resume: report.id }, showingJob(onJob));
  return (
    <Alert
      role="group"
      color={complete ? 'gray' : 'orange'}
      mb="sm"
      title={complete ? t('notMeasured') : t('title', { share: format.ratio(share) })}
    >
      <Text size="sm">
        {reason !== null && <ServerSentence max={500}>{reason}</ServerSentence>} {!complete && t('means')}
      </Text>
      {resumable && mayRun && (
        <Button
          size="xs"
          variant="default"
          mt="xs"
          className={touch.thumb}
          loading={start.isPending}
          disabled={busy}
          onClick={resume}
        >
          {t('resume')}
        </Button>
      )}
      {start.error && duplicateJobOf(start.error) === null && <ProblemAlert error={start.error} />}
    </Alert>
  );
};

'use client';

import { useTranslations } from 'next-intl';
import type { Job } from '@/lib/jobs/schema';
import { Dimmed } from './dimmed';
import { useFormat } from './use-format';

/** How far a job's changes are known beyond its primary: confirming replicas, failovers, and uncertain changes. */
export const JobFencing = ({ fencing }: { fencing: NonNullable<Job['fencing']> }) => {
  const t = useTranslations('jobs.fencing');
  const format = useFormat();
  const { replicas, why, failovers, cameBack, unknown } = fencing;
  const confirmed = {
    none: t('none'),
    left: t('left'),
    late: t('late'),
    refused: t('refused'),
  };
  const counted = (count: number) => ({ count, shown: format.count(count) });
  return (
    <Dimmed size="xs" component="div" data-testid="job-fencing">
      {(why !== null || replicas > 0) && (
        <div>{why === null ? t('confirmed', counted(replicas)) : confirmed[why]}</div>
      )}
      {failovers > 0 && (
        <div>
          {t('failovers', counted(failovers))} {t('cameBack', counted(cameBack))}
        </div>
      )}
      {unknown > 0 && <div>{t('unknown', counted(unknown))}</div>}
    </Dimmed>
  );
};

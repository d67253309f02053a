'use client';

import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Panel } from '@/components/patterns/panel';
import { useMay } from '@/components/patterns/viewer';
import classes from './hit-rates.module.css';
import { hitRateQueries } from './queries';
import { SamplingConsent } from './sampling-consent';

/**
 * The question about hit rates by family for a connection that nobody has answered for, shown to users who may answer.
 * Others learn why there are none, where `hasFigures` says that none are shown.
 */
export const SamplingQuestion = ({ hasFigures = true }: { hasFigures?: boolean }) => {
  const t = useTranslations('hitRates.question');
  const { id, name } = useConnection();
  const may = useMay('caches:sample');
  const { data } = useQuery(hitRateQueries.sampling(id, may));
  if (!may)
    return hasFigures ? null : (
      <Alert color="gray" className={classes.panel}>
        {t('viewer')}
      </Alert>
    );
  if (!data?.question) return null;
  return (
    <Panel title={t('title', { count: 1 })} className={classes.panel}>
      <SamplingConsent connections={[{ id, name, question: data.question }]} />
    </Panel>
  );
};

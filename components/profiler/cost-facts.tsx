'use client';

import { Alert, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Facts } from '@/components/patterns/facts';
import { HostileText } from '@/components/patterns/hostile-text';
import { useFormat } from '@/components/patterns/use-format';
import type { Result } from '@/lib/contract';
import type { profilerContracts } from '@/lib/profiler/schema';

export type Estimate = Result<typeof profilerContracts.estimate>;

/** Why no profile can begin now. */
export const Obstacle = ({ estimate }: { estimate: Estimate }) => {
  const t = useTranslations('profiler.obstacle');
  if (estimate.monitor.allowed === false)
    return (
      <Alert color="orange" title={t('refused')}>
        <Text size="sm">
          {t('refusedWhy')} <HostileText max={200}>{estimate.monitor.why ?? ''}</HostileText>
        </Text>
      </Alert>
    );
  return estimate.running ? <Alert color="indigo">{t('running')}</Alert> : null;
};

/** Keeps the place of a value that is not known yet. */
const LOADING = '\u00a0';

/** What a profile costs this server, and what limits it. */
export const CostFacts = ({ estimate }: { estimate: Estimate | undefined }) => {
  const t = useTranslations('profiler.cost');
  const format = useFormat();
  if (!estimate)
    return (
      <Facts
        facts={(['load', 'share', 'coverage', 'ends'] as const).map((name) => ({
          label: t(name),
          value: LOADING,
        }))}
      />
    );
  const { commandsPerSecond, statedShare, expectedCoverage, maxSeconds, maxAddedLatencyMs } = estimate;
  return (
    <Facts
      facts={[
        { label: t('load'), value: format.perSecond(commandsPerSecond) },
        { label: t('share'), value: t('shareValue', { share: format.ratio(statedShare) }) },
        {
          label: t('coverage'),
          value: t(expectedCoverage < 1 ? 'some' : 'all', { share: format.ratio(expectedCoverage) }),
        },
        {
          label: t('ends'),
          value: t('endsValue', { seconds: maxSeconds, latency: format.ms(maxAddedLatencyMs) }),
        },
      ]}
    />
  );
};

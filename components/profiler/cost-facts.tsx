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
  return estimate.running ? <Alert color="gray">{t('running')}</Alert> : null;
};

/** Likely values, which reserve the right number of lines until the estimate is known. */
const TYPICAL = {
  commandsPerSecond: 1000,
  statedShare: 0.05,
  expectedCoverage: 1,
  maxSeconds: 60,
  maxAddedLatencyMs: 1,
};

/** What a profile costs this server, and what limits it. */
export const CostFacts = ({ estimate }: { estimate: Estimate | undefined }) => {
  const t = useTranslations('profiler.cost');
  const format = useFormat();
  const { commandsPerSecond, statedShare, expectedCoverage, maxSeconds, maxAddedLatencyMs } =
    estimate ?? TYPICAL;
  const texts = {
    load: format.perSecond(commandsPerSecond),
    share: t('shareValue', { share: format.ratio(statedShare) }),
    coverage: t(expectedCoverage < 1 ? 'some' : 'all', { share: format.ratio(expectedCoverage) }),
    ends: t('endsValue', { seconds: maxSeconds, latency: format.ms(maxAddedLatencyMs) }),
  };
  return (
    <Facts
      facts={(['load', 'share', 'coverage', 'ends'] as const).map((name) => ({
        label: t(name),
        value: estimate ? texts[name] : <span style={{ visibility: 'hidden' }}>{texts[name]}</span>,
      }))}
    />
  );
};

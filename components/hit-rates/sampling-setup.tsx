'use client';

import { Loader, Stack, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { basePath } from '@/lib/api-client';
import { hitRateQueries } from './queries';
import { SamplingConsent } from './sampling-consent';

const leave = () => window.location.assign(`${basePath()}/`);

/** The second step of the set-up: hit rates by family for every connection. Skipped where there is nothing to ask. */
export const SamplingSetup = ({ connections }: { connections: readonly { id: string; name: string }[] }) => {
  const t = useTranslations('hitRates.question');
  const states = useQueries({
    queries: connections.map(({ id }) => ({
      ...hitRateQueries.sampling(id, true),
      refetchInterval: false as const,
    })),
  });
  const loading = states.some(({ isPending }) => isPending);
  const undecided = connections.flatMap(({ id, name }, i) => {
    const question = states[i]?.data?.question;
    return question ? [{ id, name, question }] : [];
  });
  const isDone = !loading && undecided.length === 0;
  useEffect(() => {
    if (isDone) leave();
  }, [isDone]);
  if (loading || isDone) return <Loader size="sm" aria-label={t('step')} />;
  return (
    <Stack gap="md">
      <div>
        <Dimmed>{t('step')}</Dimmed>
        <Title order={1} size="h3">
          {t('title', { count: undecided.length })}
        </Title>
      </div>
      <SamplingConsent connections={undecided} onAnswered={leave} />
    </Stack>
  );
};

'use client';

import { Alert, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { ApiProblem, call } from '@/lib/api-client';
import { familyContracts, type Recovery } from '@/lib/families/schema';
import { queryKeyOf } from './query-key';
import { TextLink } from './text-link';
import { useFormat } from './use-format';

const TRACKED_MS = 10_000;

const recoveryQuery = (connection: string, auditId: string) =>
  queryOptions({
    queryKey: queryKeyOf(familyContracts.recovery, connection, { auditId }),
    queryFn: async ({ signal }) => {
      try {
        return await call(familyContracts.recovery, { auditId }, { connection, signal });
      } catch (error) {
        // The invalidation deleted nothing, so there is no recovery.
        if (error instanceof ApiProblem && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: ({ state }) => (state.data?.state === 'following' ? TRACKED_MS : false),
  });

/** The misses after an invalidation, as text, until they are back to normal. */
export const RecoveryNote = ({ connection, auditId }: { connection: string; auditId: string }) => {
  const t = useTranslations('patterns.recovery');
  const textOf = useRecoveryText();
  const { data } = useQuery(recoveryQuery(connection, auditId));
  if (!data) return null;
  const calm = data.state === 'normal' || data.state === 'unknown';
  return (
    <Alert color={calm ? 'gray' : 'orange'} title={t(`title.${data.state}`)} data-testid="recovery">
      <Text size="sm">{textOf(data)}</Text>
      <Text size="sm" mt={4}>
        {data.source && t(`source.${data.source}`)}{' '}
        <TextLink c="inherit" underline="always" href={`/${connection}/overview`}>
          {t('chart')}
        </TextLink>
      </Text>
    </Alert>
  );
};

/** "Misses rose from 3/s to 41/s and were normal again 2 min after the last deletion." */
const useRecoveryText = () => {
  const t = useTranslations('patterns.recovery');
  const format = useFormat();
  return (recovery: Recovery): string => {
    const { normalMissesPerSecond: usual, peakMissesPerSecond: peak, normalAfterSeconds: after } = recovery;
    if (usual === null || peak === null) return t(recovery.state === 'following' ? 'tooEarly' : 'unmeasured');
    const rose = t('rose', { usual: format.perSecond(usual), peak: format.perSecond(peak) });
    const extra = t('extra', {
      count: recovery.extraMisses ?? 0,
      shown: format.count(recovery.extraMisses),
    });
    if (after === null) return `${rose} ${extra}`;
    return `${rose} ${t('back', { time: format.duration(after) })} ${extra}`;
  };
};

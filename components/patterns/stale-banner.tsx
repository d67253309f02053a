'use client';

import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { ApiProblem } from '@/lib/api-client';
import { epochOf } from '@/lib/format';
import { useNow } from './now';
import { useFormat } from './use-format';

interface StaleBannerProps {
  /** The error of the last attempt; nothing is shown while it is null. */
  error: unknown;
  /** When the values still on the page were true: epoch ms (`dataUpdatedAt`) or a wire time. */
  valuesFrom?: number | string | null | undefined;
  /** Why, in the server's words, where it is known. */
  reason?: string | null | undefined;
}

/** Redis is gone: the last values stay, this says how old they are. Goes away by itself when they are fresh. */
export const StaleBanner = ({ error, valuesFrom, reason }: StaleBannerProps) => {
  const t = useTranslations('patterns.stale');
  const now = useNow('second');
  const format = useFormat();
  // A list that begins again is read at this moment.
  if (!error || (error instanceof ApiProblem && error.restartsList)) return null;
  const from = typeof valuesFrom === 'number' ? valuesFrom : epochOf(valuesFrom);
  const age = now !== null && from ? format.duration((now - from) / 1000) : null;
  const code = error instanceof ApiProblem ? error.code : 'internal';
  const what =
    code === 'unreachable' ? (age ? 'redis' : 'redisNever') : code === 'no_answer' ? 'console' : 'other';
  const why = reason ?? (error instanceof Error ? error.message : '');
  return (
    <Alert
      color="orange"
      icon={<IconPlugConnectedX size={18} />}
      mb="md"
      role="status"
      title={t(`title.${what}`)}
    >
      {age ? t('age', { age }) : t('never')} {why && t('why', { reason: why })}
    </Alert>
  );
};

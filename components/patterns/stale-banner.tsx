'use client';

import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { ApiProblem } from '@/lib/api-client';
import { epochOf } from '@/lib/format';
import { useOutage } from './outage';
import { RelativeTime } from './relative-time';
import { useUnmoved } from './use-pressed';

interface StaleBannerProps {
  /** The error of the last refresh; null hides the banner. */
  error: unknown;
  /** When the data on the page was read: epoch ms (`dataUpdatedAt`) or a wire time. */
  valuesFrom?: number | string | null | undefined;
}

/**
 * The data on the page could not be refreshed, how old it is and why. Hidden during an outage, which the shell's banner
 * reports, and while a list is reloaded from the start.
 */
export const StaleBanner = ({ valuesFrom, ...props }: StaleBannerProps) => {
  const t = useTranslations('patterns.stale');
  const error = useUnmoved(props.error);
  const outage = useOutage();
  if (!error || outage || (error instanceof ApiProblem && error.restartsList)) return null;
  const at = typeof valuesFrom === 'number' ? valuesFrom : epochOf(valuesFrom);
  return (
    <Alert color="orange" icon={<IconPlugConnectedX size={18} />} mb="md" title={t('title')} role="status">
      {at ? t.rich('age', { age: () => <RelativeTime at={new Date(at).toISOString()} /> }) : t('never')}{' '}
      {error instanceof Error && error.message}
    </Alert>
  );
};

'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { RelativeTime } from './relative-time';

interface FailingSinceProps {
  /** null: the last attempt was delivered. */
  failingSince: string | null;
  error: string | null;
}

/** Why messages of an alert channel do not arrive; nothing while they do. */
export const FailingSince = ({ failingSince, error }: FailingSinceProps) => {
  const t = useTranslations('words');
  if (failingSince === null) return null;
  return (
    <Text component="span" size="xs" c="var(--kw-bad-text)">
      {t.rich('failingSince', { when: () => <RelativeTime at={failingSince} />, error: error ?? '' })}
    </Text>
  );
};

'use client';

import { Alert, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';

/** Commands that the console's user may not use: what they would say is "—". */
export const Missing = ({ commands }: { commands: readonly string[] }) => {
  const t = useTranslations('server');
  if (commands.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" my="xs">
      {t('missing', { commands: commands.join(', ') })}
    </Text>
  );
};

interface RefusedProps {
  refused: { reason: string; missing: string[] } | null | undefined;
}

/** Why the server does not give a list. */
export const Refused = ({ refused }: RefusedProps) => {
  const t = useTranslations('server');
  if (!refused) return null;
  return (
    <Alert color="orange" title={t('refused')} mb="sm">
      {refused.reason}
      <Missing commands={refused.missing} />
    </Alert>
  );
};

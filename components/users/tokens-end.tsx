'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';

/** Says that a change ends this number of API tokens. */
export const TokensEnd = ({ count }: { count: number }) => {
  const t = useTranslations('users.change');
  return (
    count > 0 && (
      <Text size="sm" fw={600}>
        {t('endsTokens', { count })}
      </Text>
    )
  );
};

/** The message of a change that ended API tokens. */
export const useDoneText = () => {
  const t = useTranslations('users.change');
  return (done: string, tokensEnded: number): string =>
    tokensEnded > 0 ? `${done}. ${t('tokensEnded', { count: tokensEnded })}` : done;
};

'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnectionOrNull } from './connection';

/** Explains before the confirmation that a change is not atomic: in a cluster its keys may be in several slots. */
export const StepsNote = ({ of }: { of: 'sessions' | 'name' | 'variables' }) => {
  const t = useTranslations('patterns.steps');
  if (useConnectionOrNull()?.topology !== 'cluster') return null;
  const texts = { sessions: t('sessions'), name: t('name'), variables: t('variables') };
  return <Text size="sm">{texts[of]}</Text>;
};

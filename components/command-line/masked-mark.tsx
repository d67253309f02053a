'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';

/** Says that a secret is not shown. */
export const MaskedMark = () => {
  const t = useTranslations('commandLine.reply');
  return (
    <Badge color="gray" ms={4}>
      {t('masked')}
    </Badge>
  );
};

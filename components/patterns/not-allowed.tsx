'use client';

import { IconLock } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { EmptyState } from './empty-state';

/** In place of a page that the role does not see. */
export const NotAllowed = () => {
  const t = useTranslations('jobs.notAllowed');
  return (
    <EmptyState icon={<IconLock size={20} />} title={t('title')}>
      {t('text')}
    </EmptyState>
  );
};

'use client';

import { IconLock } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { EmptyState } from './empty-state';

/** Shown instead of a page that the role has no access to. */
export const NotAllowed = () => {
  const t = useTranslations('jobs.notAllowed');
  return (
    <EmptyState icon={<IconLock size={20} />} title={t('title')}>
      {t('text')}
    </EmptyState>
  );
};

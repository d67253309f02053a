'use client';

import { IconLock } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import type { Permission } from '@/lib/permissions';
import { EmptyState } from './empty-state';
import { useMay } from './viewer';

/** A page for those who may see it; others are told so. The data behind it is refused by the server anyway. */
export const Allowed = ({ permission, children }: { permission: Permission; children: ReactNode }) => {
  const t = useTranslations('jobs.notAllowed');
  if (useMay(permission)) return children;
  return (
    <EmptyState icon={<IconLock size={20} />} title={t('title')}>
      {t('text')}
    </EmptyState>
  );
};

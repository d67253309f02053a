'use client';

import { useTranslations } from 'next-intl';
import { ShownOnce } from '@/components/patterns/shown-once';

/** Shows a new API token once. */
export const CreatedToken = ({ token, onClose }: { token: string | null; onClose: () => void }) => {
  const t = useTranslations('users.token');
  const texts = {
    title: t('created'),
    once: t('once'),
    copy: t('copy'),
    copied: t('copied'),
    stored: t('stored'),
  };
  return <ShownOnce secret={token} onClose={onClose} testId="api-token" texts={texts} />;
};

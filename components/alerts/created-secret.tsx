'use client';

import { useTranslations } from 'next-intl';
import { ShownOnce } from '@/components/patterns/shown-once';

/** Shows the signing key of a webhook once. */
export const CreatedSecret = ({ secret, onClose }: { secret: string | null; onClose: () => void }) => {
  const t = useTranslations('alerts.secret');
  const texts = {
    title: t('title'),
    once: t('once'),
    copy: t('copy'),
    copied: t('copied'),
    stored: t('stored'),
  };
  return <ShownOnce secret={secret} onClose={onClose} testId="signing-key" texts={texts} />;
};

import { useTranslations } from 'next-intl';
import type { DriftRow } from '@/lib/catalog/schema';

/** "Documented as set, 412 of 412 are zsets". */
export const useDriftWords = (): ((row: DriftRow) => string) => {
  const t = useTranslations('catalog.drift');
  return ({ what, documented, found, keys, of }) => {
    if (what === 'type') return t('type', { documented, found, keys, of });
    if (what === 'field') return t('field', { documented, keys, of });
    if (found === 'no TTL') return t('missing', { documented, keys, of });
    return found === 'longer TTL' ? t('longer', { documented, keys, of }) : t('unexpected', { keys, of });
  };
};

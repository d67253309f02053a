import { useTranslations } from 'next-intl';
import { useTtlWords } from '@/components/patterns/use-ttl-words';
import type { DriftRow } from '@/lib/catalog/schema';

/** "Documented as set, 412 of 412 are zsets". */
export const useDriftWords = (): ((row: DriftRow) => string) => {
  const t = useTranslations('catalog.drift');
  const ttlWords = useTtlWords();
  return ({ what, documented, found, keys, of }) => {
    if (what === 'type') return t('type', { documented, found, keys, of });
    if (what === 'field') return t('field', { documented, keys, of });
    const ttl = ttlWords(documented);
    if (found === 'no TTL') return t('missing', { documented: ttl, keys, of });
    return found === 'longer TTL'
      ? t('longer', { documented: ttl, keys, of })
      : t('unexpected', { keys, of });
  };
};

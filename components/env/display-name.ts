import { useTranslations } from 'next-intl';
import { EMPTY_NAME } from '@/lib/values/schema';

/** A variable's name for display; the empty name in words. */
export const useDisplayName = (): ((name: string) => string) => {
  const t = useTranslations('env.name');
  return (name) => (name === EMPTY_NAME ? t('empty') : name);
};

import { useTranslations } from 'next-intl';
import { EMPTY_NAME } from '@/lib/values/schema';

/** A variable's name for reading: the empty one in words. */
export const useShownName = (): ((name: string) => string) => {
  const t = useTranslations('env.name');
  return (name) => (name === EMPTY_NAME ? t('empty') : name);
};

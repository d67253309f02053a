import { useTranslations } from 'next-intl';
import { EMPTY_NAME } from '@/lib/values/schema';

/** A variable's name for display, with a description for the empty name. */
export const useDisplayName = (): ((name: string) => string) => {
  const t = useTranslations('env.name');
  return (name) => (name === EMPTY_NAME ? t('empty') : name);
};

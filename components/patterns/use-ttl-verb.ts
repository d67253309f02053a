'use client';

import { useTranslations } from 'next-intl';
import type { DryRunState } from './use-dry-run';

/** The button of a drawer that sets TTLs: counts first, then names the number of keys. */
export const useTtlVerb = () => {
  const t = useTranslations('families.ttl');
  return ({ jobId, result }: DryRunState): string => {
    if (result) return t('verb', { count: result.added + result.shortened });
    return jobId ? t('counting') : t('count');
  };
};

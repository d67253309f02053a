'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Words } from './declare-list';

/** The texts of a list: what its namespace does not have is in the namespace around it. */
export const useWords = (namespace: string): Words => {
  const own = useTranslations(namespace as never) as unknown as Words;
  const around = useTranslations(namespace.split('.')[0] as never) as unknown as Words;
  return useMemo((): Words => {
    const has = (key: string): boolean => own.has(key) || around.has(key);
    const words = (key: string, values?: Record<string, string | number>): string =>
      own.has(key) ? own(key, values) : around(key, values);
    return Object.assign(words, { has });
  }, [own, around]);
};

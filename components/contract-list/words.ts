'use client';

import { useMemo } from 'react';
import { type Texts, useTexts } from '@/components/patterns/use-texts';

/** The texts of a list: what its namespace does not have is in the namespace around it. */
export const useWords = (namespace: string): Texts => {
  const own = useTexts(namespace);
  const around = useTexts(namespace.split('.')[0]!);
  return useMemo((): Texts => {
    const has = (key: string): boolean => own.has(key) || around.has(key);
    const words = (key: string, values?: Record<string, string | number>): string =>
      own.has(key) ? own(key, values) : around(key, values);
    return Object.assign(words, { has });
  }, [own, around]);
};

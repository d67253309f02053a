'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Texts, useTexts } from '@/components/patterns/use-texts';

const COLUMN = 'column.';

/**
 * The texts of a list: what its namespace does not have is in the namespace around it, and the headers that many lists
 * have are in `words`.
 */
export const useWords = (namespace: string): Texts => {
  const own = useTexts(namespace);
  const around = useTexts(namespace.split('.')[0]!);
  const words = useTranslations('words') as Texts;
  return useMemo((): Texts => {
    const placeOf = (key: string): [texts: Texts, key: string] => {
      if (own.has(key)) return [own, key];
      if (around.has(key) || !key.startsWith(COLUMN)) return [around, key];
      return [words, key.slice(COLUMN.length)];
    };
    const find = (key: string, values?: Record<string, string | number>): string => {
      const [texts, name] = placeOf(key);
      return texts(name, values);
    };
    const has = (key: string): boolean => {
      const [texts, name] = placeOf(key);
      return texts.has(name);
    };
    return Object.assign(find, { has });
  }, [own, around, words]);
};

'use client';

import { useLocale, useTranslations } from 'next-intl';
import { useTtlWords } from '@/components/patterns/use-ttl-words';
import { withPlainSpaces } from '@/lib/format';
import type { Attention } from '@/lib/overview/schema';

/**
 * What needs attention in the reader's language, as the server wrote it where there is no translation. By id, because
 * plurals and choices take values that its English sentence does not show.
 */
export const useAttentionText = (): ((item: Attention) => Attention) => {
  const isEnglish = useLocale() === 'en';
  const ttlWords = useTtlWords();
  const t = useTranslations() as unknown as {
    (key: string, values: Attention['values']): string;
    has: (key: string) => boolean;
  };
  return (item) => {
    if (isEnglish) return item;
    const { ttl } = item.values ?? {};
    const values = typeof ttl === 'string' ? { ...item.values, ttl: ttlWords(ttl) } : item.values;
    const translated = (part: 'text' | 'detail', english: string): string => {
      const key = `attention.${item.id.split(':')[0]}.${part}`;
      return t.has(key) ? withPlainSpaces(t(key, values)) : english;
    };
    return {
      ...item,
      text: translated('text', item.text),
      detail: item.detail && translated('detail', item.detail),
    };
  };
};

'use client';

import { useLocale, useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { withPlainSpaces } from '@/lib/format';

/** The texts of the server's sentences, which only the languages other than English have: the server's are English. */
export type ServerText = (code: string, english: string, values?: Record<string, string | number>) => string;

/** A sentence of the server in the reader's language; as the server wrote it where there is no translation. */
export const useServerText = (): ServerText => {
  const isEnglish = useLocale() === 'en';
  const t = useTranslations() as unknown as {
    (key: string, values?: Record<string, string | number>): string;
    has: (key: string) => boolean;
  };
  return useCallback(
    (code, english, values) => {
      const key = `serverTexts.${code}`;
      return !isEnglish && t.has(key) ? withPlainSpaces(t(key, values)) : english;
    },
    [isEnglish, t],
  );
};

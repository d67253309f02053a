'use client';

import { useLocale } from 'next-intl';
import { useEffect, useState } from 'react';
import type { Locale } from '@/lib/locales';
import { loadSentences } from '@/messages/load';

type Translate = (english: string) => string;

const english: Translate = (text) => text;

/**
 * Translates sentences of the server, which are English, into the reader's language: reasons, what a job ended with. A
 * refusal is translated already (lib/api-client.ts).
 */
export const useSentences = (): Translate => {
  const locale = useLocale() as Locale;
  const [translate, setTranslate] = useState<Translate>(() => english);
  useEffect(() => {
    // Nothing to render again, for each sentence of a list.
    if (locale === 'en') return;
    let isGone = false;
    void loadSentences(locale)
      .then((loaded) => {
        if (!isGone) setTranslate(() => loaded);
      })
      // They stay English.
      .catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [locale]);
  return locale === 'en' ? english : translate;
};

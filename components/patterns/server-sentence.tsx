'use client';

import { useLocale } from 'next-intl';
import { useEffect, useState } from 'react';
import type { Locale } from '@/lib/locales';
import { loadSentences } from '@/messages/load';
import { HostileText } from './hostile-text';

interface ServerSentenceProps {
  /** What the server wrote in English. */
  children: string | null | undefined;
  /** Number of characters before the rest is cut. */
  max?: number;
}

/** A sentence of the server in the reader's language: a reason, what a job ended with. A refusal is translated already. */
export const ServerSentence = ({ children, max }: ServerSentenceProps) => {
  const locale = useLocale() as Locale;
  const [text, setText] = useState(children);
  useEffect(() => {
    let isGone = false;
    setText(children);
    if (children && locale !== 'en')
      void loadSentences(locale)
        .then((translate) => {
          if (!isGone) setText(translate(children));
        })
        // It stays English.
        .catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [children, locale]);
  return <HostileText max={max}>{text}</HostileText>;
};

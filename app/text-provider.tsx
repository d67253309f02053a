'use client';

import { NextIntlClientProvider } from 'next-intl';
import { type ReactNode, use } from 'react';
import { answers, sentences } from '@/lib/api-client';
import { LOCALES, type Locale } from '@/lib/locales';
import { withCatalogWords } from '@/messages/catalog-words';
import { messages } from '@/messages/en';
import { loadSentences, loadTexts, loadWords } from '@/messages/load';

/** Starts loading with the scripts, before React reaches the provider. */
const loadEarly = ({ lang }: HTMLElement): void => {
  // Next's own error documents have no language of ours.
  if (!Object.hasOwn(LOCALES, lang)) return;
  if (lang !== 'en')
    answers.inWords = loadWords(lang as Locale).then(
      (wordOf) => (answer) => withCatalogWords(answer, wordOf),
      () => (answer) => answer,
    );
  loadTexts(lang as Locale)
    .then(() => loadSentences(lang as Locale))
    .then((translate) => {
      sentences.translate = translate;
    })
    // Texts stay English until the provider loads them again.
    .catch(() => undefined);
};
if (typeof document !== 'undefined') loadEarly(document.documentElement);

/**
 * The texts for components in the browser. They are part of the scripts, which browsers cache, instead of three
 * quarters of every page. In the browser, modules add their English namespaces to `messages` (scripts/own-texts.cjs).
 */
export const TextProvider = ({ locale, children }: { locale: Locale; children: ReactNode }) => (
  <NextIntlClientProvider
    locale={locale}
    messages={locale === 'en' ? messages : use(loadTexts(locale))}
    timeZone="UTC"
  >
    {children}
  </NextIntlClientProvider>
);

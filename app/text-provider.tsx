'use client';

import { NextIntlClientProvider } from 'next-intl';
import type { ReactNode } from 'react';
import { messages } from '@/messages/en';
import type { Locale } from './i18n';

const TEXTS = { en: messages } satisfies Record<Locale, unknown>;

/**
 * The texts for components in the browser. They are part of the scripts, which browsers cache, instead of three
 * quarters of every page. In the browser, modules add their namespaces to this object (scripts/own-texts.cjs).
 */
export const TextProvider = ({ locale, children }: { locale: Locale; children: ReactNode }) => (
  <NextIntlClientProvider locale={locale} messages={TEXTS[locale]} timeZone="UTC">
    {children}
  </NextIntlClientProvider>
);

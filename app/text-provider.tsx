'use client';

import { NextIntlClientProvider } from 'next-intl';
import type { ReactNode } from 'react';
import { messages } from '@/messages/en';
import type { Locale } from './i18n';

const TEXTS = { en: messages } satisfies Record<Locale, unknown>;

/**
 * The texts for components in the browser: part of the scripts, which a browser keeps, and not of every page, three
 * quarters of which they were. There modules add their own namespaces to this object (scripts/own-texts.cjs).
 */
export const TextProvider = ({ locale, children }: { locale: Locale; children: ReactNode }) => (
  <NextIntlClientProvider locale={locale} messages={TEXTS[locale]} timeZone="UTC">
    {children}
  </NextIntlClientProvider>
);

import 'server-only';
import { createTranslator } from 'use-intl/core';
import alertsEn from '@/messages/en/alerts.json';
import sentTextsEn from '@/messages/en/sent-texts.json';
import alertsRu from '@/messages/ru/alerts.json';
import sentTextsRu from '@/messages/ru/sent-texts.json';
import alertsZh from '@/messages/zh/alerts.json';
import sentTextsZh from '@/messages/zh/sent-texts.json';
import type { Locale } from './locales';

interface Texts {
  /** Names of metrics, and limits in words. */
  alerts: typeof alertsEn;
  sentTexts: typeof sentTextsEn;
}

const TEXTS: Record<Locale, Texts> = {
  en: { alerts: alertsEn, sentTexts: sentTextsEn },
  ru: { alerts: alertsRu, sentTexts: sentTextsRu },
  zh: { alerts: alertsZh, sentTexts: sentTextsZh },
};

const translatorOf = (locale: Locale) => createTranslator({ locale, messages: TEXTS[locale] });
export type SentTexts = ReturnType<typeof translatorOf>;

const translators = new Map<Locale, SentTexts>();

/** The texts of messages that leave the console, in a language; the same translator for each call. */
export const sentTexts = (language: Locale): SentTexts => {
  const t = translators.get(language) ?? translatorOf(language);
  translators.set(language, t);
  return t;
};

import type { Locale } from '@/lib/locales';
import { messages } from './en';

export type Texts = typeof messages;

/** English is part of the browser's modules (scripts/own-texts.cjs); another language is one script for all pages. */
const others: Record<Exclude<Locale, 'en'>, () => Promise<{ messages: unknown }>> = {
  ru: () => import('./ru'),
  zh: () => import('./zh'),
};

const loading = new Map<Locale, Promise<Texts>>();

/** The texts of a language; the same promise for each call. A failed load is tried again by the next call. */
export const loadTexts = (locale: Locale): Promise<Texts> => {
  const known = loading.get(locale);
  if (known) return known;
  // A check compares the keys of the languages (components/translations.test.ts).
  const texts =
    locale === 'en' ? Promise.resolve(messages) : others[locale]().then((loaded) => loaded.messages as Texts);
  loading.set(locale, texts);
  texts.catch(() => loading.delete(locale));
  return texts;
};

const sentences: Record<Exclude<Locale, 'en'>, () => Promise<{ default: Record<string, string> }>> = {
  ru: () => import('./ru/sentences.json'),
  zh: () => import('./zh/sentences.json'),
};

type Translate = (english: string) => string;

const same: Translate = (english) => english;

const translatorFor = async (locale: Exclude<Locale, 'en'>): Promise<Translate> => {
  const [{ translatorOf }, { default: known }] = await Promise.all([
    import('./sentences'),
    sentences[locale](),
  ]);
  return translatorOf(known, locale);
};

/** Translates whole texts: titles and purposes of known applications' catalogs, of rules and features; others stay. */
export const loadWords = async (locale: Locale): Promise<Translate> => {
  if (locale === 'en') return same;
  const { default: known } = await sentences[locale]();
  return (english) => (Object.hasOwn(known, english) ? known[english]! : english);
};

const translators = new Map<Locale, Promise<Translate>>([['en', Promise.resolve(same)]]);

/** Translates sentences of the server, which are English; the same promise for each call, as with `loadTexts`. */
export const loadSentences = (locale: Locale): Promise<Translate> => {
  const loaded = translators.get(locale) ?? translatorFor(locale as Exclude<Locale, 'en'>);
  translators.set(locale, loaded);
  loaded.catch(() => translators.delete(locale));
  return loaded;
};

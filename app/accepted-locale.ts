import Negotiator from 'negotiator';
import { LOCALE_IDS, type Locale } from '@/lib/locales';

/** The language that a browser prefers by its `Accept-Language`; English where it names none of ours. */
export const localeFor = (acceptLanguage: string | null): Locale => {
  const headers = acceptLanguage === null ? {} : { 'accept-language': acceptLanguage };
  const [best] = new Negotiator({ headers }).languages(LOCALE_IDS);
  return (best as Locale | undefined) ?? 'en';
};

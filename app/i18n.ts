import { cookies } from 'next/headers';
import { getRequestConfig } from 'next-intl/server';

export const LOCALES = ['en'] as const;
export type Locale = (typeof LOCALES)[number];

/** The cookie with the reader's language; unknown values fall back to English. */
export const LOCALE_COOKIE = 'keyward-locale';

const loaders = {
  en: () => import('@/messages/en'),
} satisfies Record<Locale, () => Promise<unknown>>;

const chosen = (value: string | undefined): Locale => LOCALES.find((locale) => locale === value) ?? 'en';

export default getRequestConfig(async () => {
  const locale = chosen((await cookies()).get(LOCALE_COOKIE)?.value);
  const { messages } = await loaders[locale]();
  return { locale, messages, timeZone: 'UTC' };
});

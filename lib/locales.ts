/** The languages of the interface, each by its own name. */
export const LOCALES = { en: 'English', ru: 'Русский', zh: '简体中文' } as const;
export type Locale = keyof typeof LOCALES;

export const LOCALE_IDS = Object.keys(LOCALES) as [Locale, ...Locale[]];

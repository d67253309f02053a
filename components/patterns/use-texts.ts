'use client';

import { useTranslations } from 'next-intl';

/** Texts by keys that a declaration names. `components/messages.test.ts` checks that they exist. */
export interface Texts {
  (key: string, values?: Record<string, string | number>): string;
  has: (key: string) => boolean;
}

/** The texts of a namespace that only a declaration names, so that their keys cannot be typed. */
export const useTexts = (namespace: string): Texts => useTranslations(namespace as never) as unknown as Texts;

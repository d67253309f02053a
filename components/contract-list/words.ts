'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Words } from './declare-list';

type Translator = Words & { has: (key: string) => boolean };

/** The texts of a list: what its namespace does not have is in the namespace around it. */
export const useWords = (namespace: string): Words => {
  const own = useTranslations(namespace as never) as unknown as Translator;
  const around = useTranslations(namespace.split('.')[0] as never) as unknown as Translator;
  return useMemo(
    () => (key, values) => (own.has(key) ? own(key, values) : around(key, values)),
    [own, around],
  );
};

'use client';

import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import type { messages } from '@/messages/en';

type Known = keyof (typeof messages)['audit']['action'];

/** An operationId in words: "Invalidate keys". One nobody has put into words is shown as it is. */
export const useActionWords = (): ((action: string) => string) => {
  const t = useTranslations('audit');
  return useCallback(
    (action: string) => {
      const id = action.replaceAll('.', '-') as Known;
      return t.has(`action.${id}`) ? t(`action.${id}`) : action;
    },
    [t],
  );
};

'use client';

import { useMessages, useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
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

/** Every operationId there are words for, in the order of the alphabet. */
export const useKnownActions = (): string[] => {
  const { audit } = useMessages();
  return useMemo(() => Object.keys(audit.action).map((id) => id.replaceAll('-', '.')), [audit]);
};

'use client';

import { useLocale, useMessages } from 'next-intl';
import { useCallback, useMemo } from 'react';

/** The texts of all operations: each domain has them under `actions`, by operationId with dashes for dots. */
export const actionWords = (messages: object): ReadonlyMap<string, string> =>
  new Map(
    Object.values(messages as Record<string, { actions?: Record<string, string> }>)
      .flatMap(({ actions = {} }) => Object.entries(actions))
      .map(([id, words]) => [id.replaceAll('-', '.'), words]),
  );

const useWords = (): ReadonlyMap<string, string> => {
  const messages = useMessages();
  return useMemo(() => actionWords(messages), [messages]);
};

/** An operationId in words: "Invalidate keys". Without a text the id itself is shown. */
export const useActionWords = (): ((action: string) => string) => {
  const words = useWords();
  return useCallback((action: string) => words.get(action) ?? action, [words]);
};

/** Every operationId that has a text, in the order of the texts. */
export const useKnownActions = (): string[] => {
  const words = useWords();
  const locale = useLocale();
  return useMemo(
    () => [...words].sort(([, a], [, b]) => a.localeCompare(b, locale)).map(([id]) => id),
    [words, locale],
  );
};

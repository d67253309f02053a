'use client';

import { useMessages } from 'next-intl';
import { useCallback, useMemo } from 'react';

/** Each domain's texts name its operations under `actions`, by operationId with dashes for dots. */
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

/** An operationId in words: "Invalidate keys". One without words is shown as it is. */
export const useActionWords = (): ((action: string) => string) => {
  const words = useWords();
  return useCallback((action: string) => words.get(action) ?? action, [words]);
};

/** Every operationId there are words for, in the order of the alphabet. */
export const useKnownActions = (): string[] => {
  const words = useWords();
  return useMemo(() => [...words.keys()].sort(), [words]);
};

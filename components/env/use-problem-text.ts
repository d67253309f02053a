'use client';

import { useCallback } from 'react';
import { useSentences } from '@/components/patterns/use-sentences';
import { useServerText } from '@/components/patterns/use-server-text';
import type { VariableProblem } from '@/lib/env/schema';

/** What a check of a variable found, in the reader's language. */
export const useProblemText = () => {
  const serverText = useServerText();
  const translate = useSentences();
  return useCallback(
    ({ message, why, values }: Omit<VariableProblem, 'code'>): string =>
      why === undefined ? translate(message) : serverText(`variable.${why}`, message, values),
    [serverText, translate],
  );
};

'use client';

import { useCallback } from 'react';
import { useServerText } from '@/components/patterns/use-server-text';
import type { VariableProblem } from '@/lib/env/schema';

/** What a check of a variable found, in the reader's language. */
export const useProblemText = () => {
  const serverText = useServerText();
  return useCallback(
    ({ message, why, values }: Omit<VariableProblem, 'code'>): string =>
      why === undefined ? message : serverText(`variable.${why}`, message, values),
    [serverText],
  );
};
